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
import { compareDiscovered, compareIndexes } from './compare-indexes.ts';
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
  /** How long one snapshot of the store is used. */
  readonly pieceMs?: number;
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

/** How long one snapshot is used: it keeps PostgreSQL from removing dead rows. */
const PIECE_MS = 30_000;

/** The chain left the branch that is verified. */
class BranchLeftError extends Error {}

interface Piece {
  readonly checkpoint: Checkpoint;
  readonly header: BlockHeader;
  readonly held: HeldRows;
}

/** The same with `held` and `header` of the piece at hand. */
function withPiece<T extends object>(parts: T, getPiece: () => Piece) {
  return Object.defineProperties(parts, {
    held: { get: () => getPiece().held, enumerable: true },
    header: { get: () => getPiece().header, enumerable: true },
  }) as T & Pick<Piece, 'held' | 'header'>;
}

/** Brings the rebuilt index to the commit of the snapshot. */
async function catchUp(
  options: VerifyOptions,
  scratch: Scratch,
  stored: MarketSnapshot,
): Promise<Piece> {
  const { adapter, signal } = options;
  const { index } = scratch;
  const checkpoint = await stored.readCheckpoint(adapter.chain);
  if (checkpoint === null) throw new Error(`nothing of ${adapter.chain} is indexed`);
  const header = await readOwnHeader(options, checkpoint);
  if (header === null || checkpoint.block < index.block) throw new BranchLeftError();
  if (index.checkpoint !== null && (await readOwnHeader(options, index.checkpoint)) === null) {
    throw new BranchLeftError();
  }
  if (!(await replayUpTo(options, scratch, { stored, block: checkpoint.block }))) {
    throw new BranchLeftError();
  }
  if (index.checkpoint?.blockHash !== checkpoint.blockHash) throw new BranchLeftError();
  const { scope } = scratch.scope;
  await repeatTrades(scratch, { adapter, stored, scope, signal }, checkpoint);
  return { checkpoint, header, held: await HeldRows.read(stored, { adapter, scope, checkpoint }) };
}

/**
 * Compares in pieces, each in a snapshot of its own: the indexer goes on meanwhile, and the rebuilt
 * index follows.
 */
async function compareAll(
  options: VerifyOptions,
  scratch: Scratch,
  { stored, renew }: { readonly stored: MarketSnapshot; readonly renew: () => Promise<void> },
): Promise<Verification> {
  const { adapter, sizes, signal, pieceMs = PIECE_MS } = options;
  let piece = await catchUp(options, scratch, stored);
  let endsMs = performance.now() + pieceMs;
  const moveOn = async () => {
    if (performance.now() < endsMs) return;
    await renew();
    piece = await catchUp(options, scratch, stored);
    endsMs = performance.now() + pieceMs;
  };
  const { report } = scratch;
  const hasAllPositions = piece.checkpoint.positionsFromMs === undefined;
  const indexes = { stored, expected: scratch.market, hasAllPositions, moveOn };
  await compareIndexes(
    withPiece(indexes, () => piece),
    adapter.chain,
    report,
  );
  await compareDiscovered(stored, scratch, { chain: adapter.chain, report });
  const contracts = { stored, adapter, sizes, report, signal, moveOn };
  await compareContracts(withPiece(contracts, () => piece));
  const { checkpoint } = piece;
  if ((await readOwnHeader(options, checkpoint)) === null) throw new BranchLeftError();
  return {
    block: checkpoint.block,
    blockHash: checkpoint.blockHash,
    checked: Object.fromEntries(report.checked),
    differenceCount: report.differenceCount,
    differences: report.lines,
  };
}

/** Null if the chain left the branch meanwhile, so that there is no result. */
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
    const done = { joined: new Map(), repeated: new Map(), discovered: new Map() };
    const report = new VerifyReport();
    const { finalizedBlock } = checkpoint;
    const scratch: Scratch = { index, market, scope, report, finalizedBlock, version: 0, ...done };
    await replayUpTo(options, scratch, { stored: store, block: finalizedBlock });
    // An index that began at the head has nothing final yet.
    if (finalizedBlock >= checkpoint.startBlock) {
      const of = { adapter, stored: store, scope: scope.scope, signal };
      await repeatTrades(scratch, of, checkpoint);
    }
    return await store.snapshots((from, renew) =>
      compareAll(options, scratch, { stored: from, renew }),
    );
  } catch (error) {
    if (error instanceof BranchLeftError) return null;
    throw error;
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
