// Verifies an index: reads the chain again, rebuilds the index, queries the contracts, and
// compares.

import type { ChainAdapter } from '../../chains/adapter.ts';
import { systemClock } from '../../lib/clock.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketReader, MarketScanner, MarketStore } from '../../store/store.ts';
import { ChainIndex } from '../follow/chain-index.ts';
import { type ReadSizes, readAhead } from '../read/read-ahead.ts';
import { compareContracts } from './compare-contracts.ts';
import { compareIndexes } from './compare-indexes.ts';
import { listJoins, repeatJoin, repeatTrades } from './replay-backfills.ts';
import { scanSideCommits } from './scan-side-commits.ts';
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

interface Scratch {
  readonly index: ChainIndex;
  readonly market: MarketStore;
  /** The last commit whose adoptions and discoveries were repeated. */
  version: number;
  /** Tokens whose balances were joined, and at which block. */
  readonly joined: Map<Address, number>;
}

/**
 * Brings the scratch index up to a block, with the adoptions, discoveries and joined balances of
 * the stored one.
 * False if one is of a block that is behind it already.
 */
async function replayUpTo(
  options: VerifyOptions,
  scratch: Scratch,
  to: { readonly stored: MarketReader & MarketScanner; readonly block: number },
): Promise<boolean> {
  const { adapter, signal } = options;
  for await (const commit of scanSideCommits(to.stored, adapter.chain)) {
    if (commit.version <= scratch.version || commit.block > to.block) continue;
    if (commit.block < scratch.index.block) return false;
    if (!(await advance(options, scratch, { ...to, block: commit.block }))) return false;
    const { discoveries } = commit;
    // Their metadata is read again: it must be what is stored.
    if (discoveries.length > 0) await scratch.index.discover({ discoveries, metadata: [] }, signal);
    const adoptions = new Map(commit.adoptions.map((adopted) => [adopted.pool, adopted]));
    const findAdopted = ({ pool }: { readonly pool: PoolId }) => adoptions.get(pool) ?? null;
    await scratch.index.adopt([...adoptions.keys()], findAdopted, signal);
    scratch.version = commit.version;
  }
  return await advance(options, scratch, to);
}

/** Indexes up to a block, and joins balances where the stored index did. */
async function advance(
  options: VerifyOptions,
  scratch: Scratch,
  to: { readonly stored: MarketReader & MarketScanner; readonly block: number },
): Promise<boolean> {
  const { adapter, signal } = options;
  for (const join of await listJoins(to.stored, adapter)) {
    const known = scratch.joined.get(join.token);
    if (known === join.block || join.block > to.block) continue;
    if (known !== undefined || join.block < scratch.index.block) return false;
    await indexUpTo(options, scratch.index, join.block);
    await repeatJoin(scratch.index, { adapter, stored: to.stored, signal }, join);
    scratch.joined.set(join.token, join.block);
  }
  await indexUpTo(options, scratch.index, to.block);
  return true;
}

async function indexUpTo(
  options: VerifyOptions,
  index: ChainIndex,
  toBlock: number,
): Promise<void> {
  const { adapter, sizes, signal } = options;
  const pieces = readAhead({ adapter, fromBlock: index.block + 1, toBlock, sizes, signal });
  for await (const { reading, last } of pieces) {
    await index.append({
      reading,
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
  scratch: Scratch,
  stored: MarketReader & MarketScanner,
): Promise<Verification | null> {
  const { adapter, signal } = options;
  const checkpoint = await stored.readCheckpoint(adapter.chain);
  if (checkpoint === null) throw new Error(`nothing of ${adapter.chain} is indexed`);
  const header = await readOwnHeader(options, checkpoint);
  if (header === null || checkpoint.block < scratch.index.block) return null;
  const { block } = checkpoint;
  if (!(await replayUpTo(options, scratch, { stored, block }))) return null;
  await repeatTrades(scratch.index, { adapter, stored, signal }, checkpoint);
  const report = new VerifyReport();
  const indexes = { stored, expected: scratch.market, kept: checkpoint };
  await compareIndexes(indexes, adapter.chain, report);
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
  if (checkpoint.scope !== undefined) {
    const name = `SCOPE_${adapter.chain.toUpperCase()}`;
    throw new Error(`verify compares whole chains, and ${name} is ${checkpoint.scope}`);
  }
  const opened = await options.openScratchStore();
  try {
    const { market } = opened;
    const index = new ChainIndex({
      ...{ adapter, store: market, clock: systemClock },
      onCommitted: () => undefined,
    });
    await index.load(checkpoint.startBlock, signal);
    // History takes long and is final: the store may move on meanwhile.
    const scratch: Scratch = { index, market, version: 0, joined: new Map() };
    await replayUpTo(options, scratch, { stored: store, block: checkpoint.finalizedBlock });
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
