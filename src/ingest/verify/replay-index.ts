// Rebuilds an index in a scratch store, commit by commit as far as it matters: blocks, adoptions,
// discoveries, joined balances, and tokens that leave the scope.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { MarketReader, MarketScanner, MarketStore } from '../../store/store.ts';
import type { ChainIndex } from '../follow/chain-index.ts';
import { type ReadSizes, readAhead } from '../read/read-ahead.ts';
import { readAllEntries } from '../scope/stored-scope.ts';
import { listJoins, repeatJoin } from './replay-backfills.ts';
import type { ReplayedScope } from './replayed-scope.ts';
import { scanSideCommits } from './scan-side-commits.ts';
import type { VerifyReport } from './verify-report.ts';

interface ReplayOptions {
  readonly adapter: ChainAdapter;
  readonly sizes: ReadSizes;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { readonly block: number; readonly toBlock: number }) => void;
}

export interface Scratch {
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
  /** Tokens whose balances were joined, and at which block. */
  readonly joined: Map<Address, number>;
  /** Tokens whose trades from before the index were repeated, and as of which state of the job. */
  readonly repeated: Map<Address, string>;
}

interface ReplayTarget {
  readonly stored: MarketReader & MarketScanner;
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
export async function replayUpTo(
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
  return changes.sort((a, b) => a.block - b.block);
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
      const { compared = 0, contradictions = [] } = reading.audit ?? {};
      if (compared > 0) report.count('vault of trades', compared);
      for (const line of contradictions) report.add(line);
      options.onProgress?.({ block: last.position, toBlock });
    }
  }
}
