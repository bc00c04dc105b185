// Repeats in a scratch index what backfill has stored: the same trades and balances, read from the
// chain again.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { BalanceRecord, Checkpoint } from '../../model/market-record.ts';
import type { MarketReader, MarketScanner } from '../../store/store.ts';
import type { BackfillIndex } from '../backfill/backfill-step.ts';
import { FollowedFrom } from '../backfill/followed-from.ts';
import {
  decodeHistoryPools,
  hasHistoryPools,
  listHistoryPoolIds,
} from '../backfill/history-pool.ts';
import { HistorySource } from '../backfill/history-source.ts';
import { addTransfers, type JoinedHolders, NO_SUMS } from '../backfill/holder-history.ts';
import { pickChanged } from '../backfill/plan-trade-step.ts';
import { type HistoryPlace, TradeHistory } from '../backfill/trade-history.ts';
import type { ReadSizes } from '../read/read-ahead.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';
import { ListedHolders } from './listed-holders.ts';

// All holders of a token at the block of a join, as `joinHolders` takes them.

interface ListContext {
  readonly adapter: ChainAdapter;
  readonly sizes: ReadSizes;
  readonly signal: AbortSignal;
}

async function listHoldersAt(
  { adapter, sizes, signal }: ListContext,
  { token, block }: { readonly token: Address; readonly block: number },
): Promise<JoinedHolders> {
  const header = await adapter.readHeader(block, signal);
  if (header?.position !== block) throw new ChainInconsistentError(`block ${block} is gone`);
  const tokens = new Set([token]);
  const balances = await new ListedHolders({ adapter, sizes, signal, header, tokens }).read(token);
  if (balances === null) {
    throw new ChainInconsistentError(`the holders of ${token} at block ${block} keep changing`);
  }
  const balanceSumRaw = [...balances.values()].reduce((sum, amountRaw) => sum + amountRaw, 0n);
  return { token, balances, sums: { ...NO_SUMS, balanceSumRaw, holders: balances.size } };
}

/** A token whose balances were joined, and at which block. */
interface Join {
  readonly token: Address;
  readonly block: number;
}

type Stored = MarketReader & MarketScanner;

export async function listJobs(
  stored: MarketScanner,
  adapter: ChainAdapter,
): Promise<BackfillRecord[]> {
  const jobs: BackfillRecord[] = [];
  for await (const records of stored.scanBackfills(adapter.chain)) jobs.push(...records);
  return jobs;
}

/** Ascending by block. */
export async function listJoins(stored: MarketScanner, adapter: ChainAdapter): Promise<Join[]> {
  const jobs = await listJobs(stored, adapter);
  return jobs
    .flatMap(({ token, joinBlock }) => (joinBlock === null ? [] : [{ token, block: joinBlock }]))
    .sort((a, b) => a.block - b.block);
}

/** All holders of a token at a block, from all of its transfers. */
async function readHolders(
  source: HistorySource,
  stored: Stored,
  { token, block }: Join,
): Promise<JoinedHolders> {
  const { chain, assets } = source.adapter;
  const [row] = await stored.readTokens(chain, [token]);
  if (row === undefined) throw new Error(`token ${token} is not stored`);
  // Summed up part by part: a token may have millions of transfers.
  let sums = NO_SUMS;
  const balances = new Map<Address, BalanceRecord>();
  for (let fromBlock = 0; fromBlock <= block; ) {
    const { transfers, toBlock } = await source.readTransfers({ token, fromBlock, toBlock: block });
    const owners = new Set(transfers.flatMap(({ event }) => [event.from, event.to]));
    const before = [...owners].flatMap((owner) => (owner && balances.get(owner)) ?? []);
    const added = addTransfers(transfers, { assets, row, sums, balances: before });
    for (const balance of added.changed) balances.set(balance.owner, balance);
    sums = added.sums;
    fromBlock = toBlock + 1;
  }
  const { firstBlock } = sums;
  const first = firstBlock === null ? null : await source.readHeader(firstBlock);
  const held = [...balances.values()].filter(({ amountRaw }) => amountRaw > 0n);
  return {
    token,
    sums: { ...sums, firstMs: first?.timestampMs ?? null },
    balances: new Map(held.map(({ owner, amountRaw }) => [owner, amountRaw])),
  };
}

/** The scratch index must be at the block of the join. */
export async function repeatJoin(
  scratch: BackfillIndex,
  read: {
    readonly adapter: ChainAdapter;
    readonly stored: Stored;
    readonly sizes: ReadSizes;
    readonly signal: AbortSignal;
  },
  join: Join,
): Promise<void> {
  const { adapter, stored, signal } = read;
  const { token } = join;
  const holders =
    adapter.history === undefined
      ? await listHoldersAt(read, join)
      : await readHolders(new HistorySource(adapter, null, signal), stored, join);
  await scratch.joinHolders(holders, { token, jobs: [] });
}

/** Everything of a job that its trades depend on, as text. */
function encodeJob(job: BackfillRecord, bounds: ReadonlyMap<PoolId, number>): string {
  const { toBlock, nextBlock, nextMs, fromBlock, memory } = job;
  return JSON.stringify([toBlock, nextBlock, nextMs, fromBlock, memory, [...bounds].sort()]);
}

/**
 * Makes the trades of every job again, as far back as it has come. `repeated` holds the jobs that
 * are repeated already; one that has got further since is repeated as a whole.
 */
export async function repeatTrades(
  scratch: {
    readonly index: BackfillIndex;
    readonly market: MarketReader;
    readonly repeated: Map<Address, string>;
  },
  read: {
    readonly adapter: ChainAdapter;
    readonly stored: Stored;
    readonly scope: ChainScope | null;
    readonly signal: AbortSignal;
  },
  checkpoint: Checkpoint,
): Promise<void> {
  const { adapter, stored, scope, signal } = read;
  const { index, market, repeated } = scratch;
  const history = new TradeHistory(new HistorySource(adapter, null, signal), stored);
  const followed = new FollowedFrom({ adapter, store: stored, scope });
  const { finalizedBlock } = checkpoint;
  for (const job of await listJobs(stored, adapter)) {
    const { token, toBlock, nextBlock, nextMs, memory } = job;
    const isBegun = job.kind === 'trades' && hasHistoryPools(memory) && nextBlock < toBlock;
    const start = followed.findToken(token, checkpoint);
    if (!isBegun || start === null) continue;
    const rows = await stored.readPools(adapter.chain, listHistoryPoolIds(memory));
    const bounds = await followed.findPools(start, rows);
    const state = encodeJob(job, bounds);
    if (repeated.get(token) === state) continue;
    const first = await history.begin(rows, { token, toBlock, finalizedBlock, mayWait: false });
    if (first.kind === 'wait') throw new Error('a backfill cannot be repeated yet');
    // Ticks that were not known then must not be used now.
    const unknown = decodeHistoryPools(memory, rows).filter(({ ticks }) => ticks === null);
    const isUnknown = new Set(unknown.map(({ row }) => row.pool));
    const pools = first.pools.map((pool) =>
      isUnknown.has(pool.row.pool) ? { ...pool, ticks: null } : pool,
    );
    let place: HistoryPlace = { nextBlock: toBlock, pools };
    while (place.nextBlock > nextBlock) {
      const step = await history.step(token, place);
      place = step;
      const made = { token, trades: step.trades, followed: bounds };
      const changed = await pickChanged(market, adapter, made);
      const trades = changed.filter(
        ({ block, timestampMs }) => block >= nextBlock && timestampMs >= (nextMs ?? 0),
      );
      await index.commitBackfill({ token, jobs: [], trades });
    }
    repeated.set(token, state);
  }
}
