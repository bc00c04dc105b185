// Verifies an index: reads the chain again, rebuilds the index, queries the contracts, and
// compares.

import type { ChainAdapter } from '../chains/adapter.ts';
import { systemClock } from '../lib/clock.ts';
import type { BlockHeader } from '../model/block-header.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { MarketReader, MarketScanner, MarketStore } from '../store/store.ts';
import { ChainIndex } from './chain-index.ts';
import { compareContracts } from './compare-contracts.ts';
import { compareIndexes } from './compare-indexes.ts';
import { type ReadSizes, readAhead } from './read-ahead.ts';
import { VerifyReport } from './verify-report.ts';

export interface VerifyOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketStore;
  /** A temporary empty store for the new index. */
  readonly openScratchStore: () => Promise<{
    readonly market: MarketStore;
    close(): Promise<void>;
  }>;
  readonly sizes: ReadSizes;
  /** How often to start over if the chain leaves the branch that is verified. */
  readonly attemptCountMax: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { readonly block: number; readonly toBlock: number }) => void;
}

export interface Verification {
  readonly block: number;
  readonly blockHash: string;
  /** How many rows of each type were compared. */
  readonly checked: Readonly<Record<string, number>>;
  readonly differenceCount: number;
  /** A line for each difference, up to a limit. */
  readonly differences: readonly string[];
}

/** Extends the scratch index up to a block. */
async function indexUpTo(
  options: VerifyOptions,
  index: ChainIndex,
  toBlock: number,
): Promise<void> {
  const { adapter, sizes, signal } = options;
  const pieces = readAhead({ adapter, fromBlock: index.block + 1, toBlock, sizes, signal });
  for await (const { reading, last } of pieces) {
    await index.append({
      blocks: reading.blocks,
      headers: [last],
      last,
      finalizedBlock: last.position,
      withSupplies: false,
      signal,
    });
    options.onProgress?.({ block: last.position, toBlock });
  }
}

async function readOwnHeader(
  options: VerifyOptions,
  checkpoint: Checkpoint,
): Promise<BlockHeader | null> {
  const header = await options.adapter.readHeader(checkpoint.block, options.signal);
  return header?.hash === checkpoint.blockHash ? header : null;
}

/** Null if the chain left the branch meanwhile, so that there is no result. */
async function verifySnapshot(
  options: VerifyOptions,
  scratch: { readonly index: ChainIndex; readonly market: MarketStore },
  stored: MarketReader & MarketScanner,
): Promise<Verification | null> {
  const { adapter, signal } = options;
  const checkpoint = await stored.readCheckpoint(adapter.chain);
  if (checkpoint === null) throw new Error(`nothing of ${adapter.chain} is indexed`);
  const header = await readOwnHeader(options, checkpoint);
  if (header === null || checkpoint.block < scratch.index.block) return null;
  await indexUpTo(options, scratch.index, checkpoint.block);
  const report = new VerifyReport();
  await compareIndexes({ stored, expected: scratch.market }, adapter.chain, report);
  const fromGenesis = checkpoint.startBlock === 0;
  await compareContracts({ stored, adapter, header, fromGenesis, report, signal });
  if ((await readOwnHeader(options, checkpoint)) === null) return null;
  return {
    block: checkpoint.block,
    blockHash: checkpoint.blockHash,
    checked: Object.fromEntries(report.checked),
    differenceCount: report.differenceCount,
    differences: report.lines,
  };
}

async function attempt(options: VerifyOptions): Promise<Verification | null> {
  const { adapter, store, signal } = options;
  const checkpoint = await store.readCheckpoint(adapter.chain);
  if (checkpoint === null) throw new Error(`nothing of ${adapter.chain} is indexed`);
  const scratch = await options.openScratchStore();
  try {
    const { market } = scratch;
    const index = new ChainIndex({
      ...{ adapter, store: market, clock: systemClock },
      onCommitted: () => undefined,
    });
    await index.load(checkpoint.startBlock, signal);
    // Backfill takes long and is final: the store may advance meanwhile.
    await indexUpTo(options, index, checkpoint.finalizedBlock);
    return await store.snapshot((stored) => verifySnapshot(options, { index, market }, stored));
  } finally {
    await scratch.close();
  }
}

/**
 * Compares the index at its last block, while the indexer may continue. Throws if the chain keeps
 * leaving the branch.
 */
export async function verifyChain(options: VerifyOptions): Promise<Verification> {
  for (let count = 0; count < options.attemptCountMax; count += 1) {
    const verification = await attempt(options);
    if (verification !== null) return verification;
  }
  throw new Error(`${options.adapter.chain} was reorganised while it was verified; try again`);
}
