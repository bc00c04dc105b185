// Repeats in a scratch index what backfill has stored: the same trades and balances, read from the
// chain again.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketReader, MarketScanner } from '../../store/store.ts';
import type { BackfillIndex } from '../backfill/backfill-step.ts';
import { decodeHistoryPools, listHistoryPoolIds } from '../backfill/history-pool.ts';
import { HistorySource } from '../backfill/history-source.ts';
import { addTransfers, type JoinedHolders, NO_SUMS } from '../backfill/holder-history.ts';
import { type HistoryPlace, TradeHistory } from '../backfill/trade-history.ts';
import type { PlacedTransfer } from '../backfill/transfer-journal.ts';

/** A token whose balances were joined, and at which block. */
interface Join {
  readonly token: Address;
  readonly block: number;
}

type Stored = MarketReader & MarketScanner;

async function listJobs(stored: MarketScanner, adapter: ChainAdapter): Promise<BackfillRecord[]> {
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
  const transfers: PlacedTransfer[] = [];
  for (let fromBlock = 0; fromBlock <= block; ) {
    const reading = await source.readTransfers({ token, fromBlock, toBlock: block });
    transfers.push(...reading.transfers);
    fromBlock = reading.toBlock + 1;
  }
  const { sums, changed } = addTransfers(transfers, { assets, row, sums: NO_SUMS, balances: [] });
  const { firstBlock } = sums;
  const first = firstBlock === null ? null : await source.readHeader(firstBlock);
  const held = changed.filter(({ amountRaw }) => amountRaw > 0n);
  return {
    token,
    sums: { ...sums, firstMs: first?.timestampMs ?? null },
    balances: new Map(held.map(({ owner, amountRaw }) => [owner, amountRaw])),
  };
}

/** The scratch index must be at the block of the join. */
export async function repeatJoin(
  scratch: BackfillIndex,
  read: { readonly adapter: ChainAdapter; readonly stored: Stored; readonly signal: AbortSignal },
  join: Join,
): Promise<void> {
  const source = new HistorySource(read.adapter, null, read.signal);
  const { token } = join;
  const holders = await readHolders(source, read.stored, join);
  await scratch.joinHolders(holders, { token, jobs: [] });
}

/** Makes the trades of every job again, as far back as it has come. */
export async function repeatTrades(
  scratch: BackfillIndex,
  read: { readonly adapter: ChainAdapter; readonly stored: Stored; readonly signal: AbortSignal },
  { startBlock, finalizedBlock }: Checkpoint,
): Promise<void> {
  const { adapter, stored, signal } = read;
  const history = new TradeHistory(new HistorySource(adapter, null, signal), stored);
  for (const job of await listJobs(stored, adapter)) {
    if (job.kind !== 'trades' || job.memory === '' || job.nextBlock >= job.toBlock) continue;
    const { token, nextBlock, nextMs, memory, fromBlock } = job;
    const rows = await stored.readPools(adapter.chain, listHistoryPoolIds(memory));
    const first = await history.begin(rows, { startBlock, finalizedBlock, mayWait: false });
    if (first.kind === 'wait') throw new Error('a backfill cannot be repeated yet');
    // Ticks that were not known then must not be used now.
    const unknown = decodeHistoryPools(memory, rows).filter(({ ticks }) => ticks === null);
    const isUnknown = new Set(unknown.map(({ row }) => row.pool));
    const pools = first.pools.map((pool) =>
      isUnknown.has(pool.row.pool) ? { ...pool, ticks: null } : pool,
    );
    let place: HistoryPlace = { nextBlock: startBlock, pools };
    while (place.nextBlock > nextBlock) {
      const step = await history.step(token, place, fromBlock ?? 0);
      place = step;
      const trades = step.trades.filter(
        ({ block, timestampMs }) => block >= nextBlock && timestampMs >= (nextMs ?? 0),
      );
      await scratch.commitBackfill({ token, jobs: [], trades });
    }
  }
}
