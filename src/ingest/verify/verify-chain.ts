// Verifies an index: reads the chain again, rebuilds the index, queries the contracts, and
// compares.

import type { ChainAdapter } from '../../chains/adapter.ts';
import { systemClock } from '../../lib/clock.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketSnapshot, MarketStore } from '../../store/store.ts';
import { ChainIndex } from '../follow/chain-index.ts';
import type { ReadSizes } from '../read/read-ahead.ts';
import { compareContracts } from './compare-contracts.ts';
import { compareIndexes } from './compare-indexes.ts';
import { HeldRows } from './held-rows.ts';
import { repeatTrades } from './replay-backfills.ts';
import { replayUpTo, type Scratch } from './replay-index.ts';
import { ReplayedScope } from './replayed-scope.ts';
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
  scratch: Scratch,
  stored: MarketSnapshot,
): Promise<Verification | null> {
  const { adapter, sizes, signal } = options;
  const checkpoint = await stored.readCheckpoint(adapter.chain);
  if (checkpoint === null) throw new Error(`nothing of ${adapter.chain} is indexed`);
  const header = await readOwnHeader(options, checkpoint);
  if (header === null || checkpoint.block < scratch.index.block) return null;
  const { block } = checkpoint;
  if (!(await replayUpTo(options, scratch, { stored, block }))) return null;
  const { scope } = scratch.scope;
  await repeatTrades(scratch, { adapter, stored, scope, signal }, checkpoint);
  const report = new VerifyReport();
  const held = await HeldRows.read(stored, { adapter, scope, checkpoint });
  const hasAllPositions = scope === null && checkpoint.positionsFromMs === undefined;
  const indexes = { stored, expected: scratch.market, held, hasAllPositions };
  await compareIndexes(indexes, adapter.chain, report);
  await compareContracts({ stored, adapter, sizes, header, held, report, signal });
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
  const opened = await options.openScratchStore();
  try {
    const { market } = opened;
    const name = checkpoint.scope ?? 'all';
    const scope = new ReplayedScope({ name, adapter, store: market });
    const index = new ChainIndex({
      ...{ adapter, store: market, clock: systemClock, scope: scope.scope },
      onCommitted: () => undefined,
    });
    await index.load(checkpoint.startBlock, signal);
    // History takes long and is final: the store may move on meanwhile.
    const done = { joined: new Map(), repeated: new Map() };
    const scratch: Scratch = { index, market, scope, version: 0, ...done };
    await replayUpTo(options, scratch, { stored: store, block: checkpoint.finalizedBlock });
    // An index that began at the head has nothing final yet.
    if (checkpoint.finalizedBlock >= checkpoint.startBlock) {
      const of = { adapter, stored: store, scope: scope.scope, signal };
      await repeatTrades(scratch, of, checkpoint);
    }
    return await store.snapshot((stored) => verifySnapshot(options, scratch, stored));
  } finally {
    await opened.close();
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
