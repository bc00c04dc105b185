// Verifies an index: reads the chain again, rebuilds the index, queries the contracts, and
// compares.

import type { ChainAdapter } from '../../chains/adapter.ts';
import { systemClock } from '../../lib/clock.ts';
import type { AdoptionRecord } from '../../model/adoption.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { DiscoveryRecord } from '../../model/discovery.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { AlertReads } from '../../store/alert-store.ts';
import type {
  MarketReader,
  MarketScanner,
  MarketSnapshot,
  MarketStore,
} from '../../store/store.ts';
import { ChainIndex } from '../follow/chain-index.ts';
import { type ReadSizes, readAhead } from '../read/read-ahead.ts';
import { readAllEntries } from '../scope/stored-scope.ts';
import { compareContracts } from './compare-contracts.ts';
import { compareDiscovered, compareIndexes } from './compare-indexes.ts';
import { HeldRows } from './held-rows.ts';
import { type BegunAlerts, compareFirings, listAlertChanges } from './replay-alerts.ts';
import { listJoins, repeatJoin, repeatTrades } from './replay-backfills.ts';
import { ReplayedScope } from './replayed-scope.ts';
import { VerifyReport } from './verify-report.ts';

// Rebuilds an index in a scratch store, commit by commit as far as it matters: blocks, adoptions,
// discoveries, joined balances, and tokens that leave the scope.

// The stored commits that came without a new block and brought something that no log tells:
// adoptions and discoveries, in the order of the commits.

interface SideCommit {
  readonly version: number;
  readonly block: number;
  readonly adoptions: readonly AdoptionRecord[];
  readonly discoveries: readonly DiscoveryRecord[];
}

interface VersionedRow {
  readonly version: number;
  readonly block: number;
}

/** Rows grouped by commit; they must be in commit order. */
async function* groupByCommit<Row extends VersionedRow>(
  scan: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let commit: Row[] = [];
  for await (const rows of scan) {
    for (const row of rows) {
      if (commit[0] !== undefined && commit[0].version !== row.version) {
        yield commit;
        commit = [];
      }
      commit.push(row);
    }
  }
  if (commit.length > 0) yield commit;
}

async function readNext<Row>(
  commits: AsyncGenerator<readonly Row[]>,
): Promise<readonly Row[] | null> {
  const { value, done } = await commits.next();
  return done === true ? null : value;
}

async function* scanSideCommits(
  stored: MarketScanner,
  chain: ChainSlug,
): AsyncGenerator<SideCommit> {
  const adopted = groupByCommit(stored.scanAdoptions(chain));
  const discovered = groupByCommit(stored.scanDiscoveries(chain));
  let adoptions = await readNext(adopted);
  let discoveries = await readNext(discovered);
  for (;;) {
    const [adoption, discovery] = [adoptions?.[0], discoveries?.[0]];
    const isAdoption =
      adoption !== undefined && adoption.version <= (discovery?.version ?? adoption.version);
    const first = isAdoption ? adoption : discovery;
    if (first === undefined) return;
    const { version, block } = first;
    if (isAdoption) {
      yield { version, block, adoptions: adoptions ?? [], discoveries: [] };
      adoptions = await readNext(adopted);
    } else {
      yield { version, block, adoptions: [], discoveries: discoveries ?? [] };
      discoveries = await readNext(discovered);
    }
  }
}

interface ReplayOptions {
  readonly adapter: ChainAdapter;
  readonly sizes: ReadSizes;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { readonly block: number; readonly toBlock: number }) => void;
}

interface Scratch {
  readonly index: ChainIndex;
  readonly market: MarketStore;
  readonly scope: ReplayedScope;
  readonly report: VerifyReport;
  /** Blocks up to here are final. */
  readonly finalizedBlock: number;
  /** Pools that were looked up; and what the chain says of them, once they have an event. */
  readonly discovered: Map<PoolId, PoolDescription | null>;
  /** The last commit whose adoptions and discoveries were repeated. */
  version: number;
  readonly begun: BegunAlerts;
  /** Tokens whose balances were joined, and at which block. */
  readonly joined: Map<Address, number>;
  /** Tokens whose trades from before the index were repeated, and as of which state of the job. */
  readonly repeated: Map<Address, string>;
}

interface ReplayTarget {
  readonly stored: MarketReader & MarketScanner & AlertReads;
  readonly block: number;
}

/** Something that follows all adoptions and discoveries of its block. */
interface LateChange {
  readonly block: number;
  repeat(): Promise<void>;
}

/**
 * Brings the scratch index up to a block, with all that the stored one did beside the blocks.
 * False if something is of a block that is behind it already.
 */
async function replayUpTo(
  options: ReplayOptions,
  scratch: Scratch,
  to: ReplayTarget,
): Promise<boolean> {
  const { adapter, signal } = options;
  const { index } = scratch;
  scratch.scope.load(await readAllEntries(to.stored, adapter.chain));
  const late = await listLateChanges(options, scratch, to);
  if (late === null) return false;
  const repeatLate = async (toBlock: number): Promise<boolean> => {
    for (let next = late[0]; next !== undefined && next.block <= toBlock; next = late[0]) {
      if (next.block < index.block) return false;
      await indexUpTo(options, scratch, next.block);
      await next.repeat();
      late.shift();
    }
    return true;
  };
  for await (const commit of scanSideCommits(to.stored, adapter.chain)) {
    if (commit.version <= scratch.version || commit.block > to.block) continue;
    if (commit.block < index.block) return false;
    if (!(await repeatLate(commit.block - 1))) return false;
    await indexUpTo(options, scratch, commit.block);
    const { discoveries } = commit;
    for (const { pool } of discoveries.flatMap(({ pools }) => pools)) {
      scratch.discovered.set(pool, null);
    }
    // Their metadata is read again: it must be what is stored.
    if (discoveries.length > 0) await index.discover({ discoveries, metadata: [] }, signal);
    const adoptions = new Map(commit.adoptions.map((adopted) => [adopted.pool, adopted]));
    const findAdopted = ({ pool }: { readonly pool: PoolId }) => adoptions.get(pool) ?? null;
    await index.adopt([...adoptions.keys()], findAdopted, signal);
    scratch.version = commit.version;
  }
  if (!(await repeatLate(to.block))) return false;
  await indexUpTo(options, scratch, to.block);
  return true;
}

/** Joins, and then the tokens that leave: a token's balances end with it. Null if one is gone. */
async function listLateChanges(
  { adapter, sizes, signal }: ReplayOptions,
  scratch: Scratch,
  { stored, block: toBlock }: ReplayTarget,
): Promise<LateChange[] | null> {
  const { index, scope, joined } = scratch;
  const changes: LateChange[] = [];
  for (const join of await listJoins(stored, adapter)) {
    const known = joined.get(join.token);
    if (known === join.block || join.block > toBlock) continue;
    // A rollback took the earlier one back.
    if (known !== undefined) return null;
    changes.push({
      block: join.block,
      repeat: async () => {
        await repeatJoin(index, { adapter, stored, sizes, signal }, join);
        joined.set(join.token, join.block);
      },
    });
  }
  for (const { block, entries } of scope.listLeaves()) {
    if (block <= toBlock)
      changes.push({ block, repeat: () => scope.leave(index, entries, signal) });
  }
  const alerts = await listAlertChanges(scratch, stored, { chain: adapter.chain, toBlock });
  if (alerts === null) return null;
  return [...changes, ...alerts].sort((a, b) => a.block - b.block);
}

async function indexUpTo(options: ReplayOptions, scratch: Scratch, toBlock: number): Promise<void> {
  const { adapter, sizes, signal } = options;
  const { index, scope: replayed, report, finalizedBlock } = scratch;
  while (index.block < toBlock) {
    const isFinal = index.block < finalizedBlock;
    const limit = isFinal ? Math.min(toBlock, finalizedBlock) : toBlock;
    const audited = isFinal ? ('final' as const) : ('newest' as const);
    const end = await replayed.prepare(index, limit);
    const range = { fromBlock: index.block + 1, toBlock: end, scope: replayed.scope, audited };
    for await (const { reading, last } of readAhead({ adapter, ...range, sizes, signal })) {
      for (const event of reading.blocks.flatMap(({ events }) => events)) {
        if (event.kind !== 'poolCreated') continue;
        const { description } = event;
        const isDiscovered = scratch.discovered.has(description.pool);
        if (isDiscovered) scratch.discovered.set(description.pool, description);
      }
      await index.append({
        reading,
        headers: [last],
        last,
        finalizedBlock: last.position,
        withSupplies: false,
        signal,
      });
      const { archive, blockCount } = reading;
      if (archive !== undefined) report.count(`${FROM_ARCHIVE}${archive.source}`, blockCount);
      const { compared = 0, contradictions = [] } = reading.audit ?? {};
      if (compared > 0) report.count('vault of trades', compared);
      for (const line of contradictions) report.add(line);
      options.onProgress?.({ block: last.position, toBlock });
    }
  }
}

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

/** The beginning of what counts the blocks of an archive. */
const FROM_ARCHIVE = 'blocks from ';
/** An archive that lied or is paused; `archive <name>: …` tells what no source has. */
const ARCHIVE_FAULT = /^archive \S*[^\s:] /;

/** Why blocks read by way of archives are no second opinion, or not a whole one. */
export function listArchiveProblems(
  { checked }: Pick<Verification, 'checked'>,
  limitations: readonly string[],
): readonly string[] {
  const isRead = Object.keys(checked).some((what) => what.startsWith(FROM_ARCHIVE));
  return [
    ...limitations.filter((text) => ARCHIVE_FAULT.test(text)),
    ...(isRead ? [] : ['no archive gave a block: all were read from the nodes']),
  ];
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
  const firings = { chain: adapter.chain, toBlock: piece.checkpoint.block };
  await compareFirings({ stored, expected: scratch.market }, firings, report);
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
      // What fired is compared.
      rollbacksKeptMs: Number.MAX_SAFE_INTEGER,
    });
    await index.load(checkpoint.startBlock, signal);
    // History takes long and is final: the store may move on meanwhile.
    const done = {
      ...{ joined: new Map(), repeated: new Map(), discovered: new Map(), begun: new Map() },
    };
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
