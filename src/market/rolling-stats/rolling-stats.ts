// The rolling stats of all followed chains: loaded from the store, then moved by each commit.

import { setImmediate } from 'node:timers/promises';
import { computeOpenTime } from '../../candles/interval.ts';
import type { FeedBatch } from '../../live/feed.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type {
  CandleRecord,
  Checkpoint,
  SeriesKey,
  TradeRecord,
} from '../../model/market-record.ts';
import type { MarketReads, TimeRange } from '../../store/market-reads.ts';
import type { MarketSnapshot, MarketStore } from '../../store/store.ts';
import type { StateChange } from '../state/chain-states.ts';
import { type BasePrices, ChainStats, toSeriesName } from './chain-stats.ts';
import {
  CommitFollower,
  type CommitFollowerOptions,
  type FollowedChain,
  type Loaded,
} from './commit-follower.ts';
import { STATS_REACH_MS } from './window-stats.ts';

// Fills a chain's rolling stats from the store.

/** Candles searched for the price before a time: one may hold only outliers. */
const CANDLES_FIRST = 5;
const CANDLES_MAX = 5000;
const SERIES_PER_READ = 500;

interface PricesWanted {
  readonly series: readonly SeriesKey[];
  readonly timeMs: number;
  /** Before this time only candles of days are kept. */
  readonly candlesFromMs: number;
}

type CandlesReader = Pick<MarketReads, 'readCandlesBefore'>;

/**
 * The last price of each series before the minute of a time; absent where there was none. Candles
 * of minutes are searched first, then those of days, as far as minutes are no longer kept.
 */
async function readPricesBefore(
  reader: CandlesReader,
  chain: ChainSlug,
  wanted: PricesWanted,
): Promise<BasePrices> {
  const { candlesFromMs } = wanted;
  const prices = new Map<string, string>();
  const isUnknown = (one: SeriesKey) => !prices.has(toSeriesName(one));
  for (let start = 0; start < wanted.series.length; start += SERIES_PER_READ) {
    const series = wanted.series.slice(start, start + SERIES_PER_READ);
    const minuteMs = computeOpenTime('1m', wanted.timeMs);
    const range = { fromMs: candlesFromMs, toMs: minuteMs };
    await addPrices(reader, chain, { series, interval: '1m', range, prices });
    if (candlesFromMs === 0) continue;
    await addPrices(reader, chain, {
      series: series.filter(isUnknown),
      interval: '1d',
      range: { fromMs: 0, toMs: candlesFromMs },
      prices,
    });
  }
  return prices;
}

/** Searches further back as long as the candles hold only outliers. */
async function addPrices(
  reader: CandlesReader,
  chain: ChainSlug,
  wanted: {
    readonly series: readonly SeriesKey[];
    readonly interval: '1m' | '1d';
    readonly range: TimeRange;
    readonly prices: Map<string, string>;
  },
): Promise<void> {
  const { interval, range, prices } = wanted;
  let { series } = wanted;
  for (let limit = CANDLES_FIRST; series.length > 0 && limit <= CANDLES_MAX; limit *= 10) {
    const asked = series.map((one) => ({ ...one, interval, beforeMs: range.toMs }));
    const read = await reader.readCandlesBefore(chain, asked, limit);
    const counts = new Map<string, number>();
    for (const candle of read.sort(byTime)) {
      if (candle.openTimeMs < range.fromMs) continue;
      const name = toSeriesName(candle);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (candle.usdClean !== null) prices.set(name, candle.usdClean.close);
    }
    series = series.filter((one) => {
      const name = toSeriesName(one);
      return !prices.has(name) && (counts.get(name) ?? 0) >= limit;
    });
  }
}

function byTime(a: CandleRecord, b: CandleRecord): number {
  return a.openTimeMs - b.openTimeMs;
}

/**
 * Newest first, until a whole page is older: a token's time may stand still for a while. Each part
 * has the trades of whole blocks.
 */
async function* scanTradesSince(
  reader: MarketSnapshot,
  chain: ChainSlug,
  { sinceMs, startBlock }: { readonly sinceMs: number; readonly startBlock: number },
): AsyncGenerator<readonly TradeRecord[]> {
  let rest: TradeRecord[] = [];
  for await (const page of reader.scanNewestTrades(chain)) {
    const recent = page.filter(({ timestampMs }) => timestampMs >= sinceMs);
    if (recent.length === 0) break;
    // Older blocks hold history that was filled in, which is read by token.
    const trades = recent.filter(({ block }) => block >= startBlock);
    // The next page may have more of the last block.
    const last = page.at(-1)?.block;
    if (rest[0] !== undefined && rest[0].block === last) {
      for (const trade of trades) rest.push(trade);
      continue;
    }
    const end = trades.findIndex(({ block }) => block === last);
    yield rest.concat(end < 0 ? trades : trades.slice(0, end));
    rest = end < 0 ? [] : trades.slice(end);
  }
  yield rest;
}

/** From the start of a minute, so that candles before it hold none of the stats' trades. */
function findReach({ timestampMs, tradesFromMs = 0 }: Checkpoint): number {
  return Math.max(computeOpenTime('1m', timestampMs - STATS_REACH_MS), tradesFromMs);
}

interface BackfilledToken {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly checkpoint: Checkpoint;
}

/** Adds what was filled in of a token's history since the last time, within the stats' reach. */
async function addBackfilled(
  reader: MarketSnapshot,
  stats: ChainStats,
  { chain, token, checkpoint }: BackfilledToken,
): Promise<void> {
  const jobs = await reader.readBackfills(chain, [token]);
  const job = jobs.find(({ kind }) => kind === 'trades');
  if (job === undefined) return;
  const sinceMs = findReach(checkpoint);
  const upTo = stats.history.get(token) ?? job.toBlock;
  const range = { fromMs: sinceMs, toMs: (job.toMs ?? checkpoint.timestampMs) + 1 };
  if (job.nextBlock < upTo && range.fromMs < range.toMs) {
    const trades = await reader.readTradeRange(chain, { token, pool: null }, range);
    const filled = trades.filter(({ block }) => block >= job.nextBlock && block < upTo);
    stats.addHistory(filled, checkpoint.startBlock);
    stats.history.set(token, job.nextBlock);
  }
  const isReached = job.nextMs !== null && job.nextMs <= sinceMs;
  if (!isReached || !stats.tokens.lacksBase(token)) return;
  const series = [{ token, pool: null }];
  const candlesFromMs = checkpoint.candlesFromMs ?? 0;
  const prices = await readPricesBefore(reader, chain, { series, timeMs: sinceMs, candlesFromMs });
  stats.tokens.setBase(token, prices.get(token) ?? null);
}

/** Null before the chain's first commit. */
async function loadStats(
  reader: MarketSnapshot,
  chain: ChainSlug,
): Promise<Loaded<ChainStats> | null> {
  const checkpoint = await reader.readCheckpoint(chain);
  if (checkpoint === null) return null;
  const { timestampMs: headMs, startBlock } = checkpoint;
  const sinceMs = findReach(checkpoint);
  const stats = new ChainStats();
  stats.advance(headMs);
  const candlesFromMs = checkpoint.candlesFromMs ?? 0;
  // Part by part: all trades of a day at once would take much memory for a moment.
  for await (const trades of scanTradesSince(reader, chain, { sinceMs, startBlock })) {
    const series = stats.listNewSeries(trades);
    const bases = await readPricesBefore(reader, chain, { series, timeMs: sinceMs, candlesFromMs });
    stats.add(trades, bases);
    await setImmediate();
  }
  for await (const jobs of reader.scanBackfills(chain)) {
    for (const { token } of jobs.filter(({ kind }) => kind === 'trades')) {
      await addBackfilled(reader, stats, { chain, token, checkpoint });
    }
  }
  stats.advance(headMs);
  return { value: stats, checkpoint };
}

interface RollingStatsOptions extends CommitFollowerOptions {
  readonly store: Pick<MarketStore, 'snapshot' | 'readCandlesBefore'>;
}

/** Commits that wait while rolling stats are loaded; with more, they are loaded again instead. */
const QUEUE_MAX = 1000;
/** A batch of many blocks is applied in slices of about this many trades, so that others get on. */
const SLICE_TRADES = 100;

type StatsState = FollowedChain<ChainStats, FeedBatch[]>;

/** Whole blocks: a block's trades are added together. */
function* listSlices(trades: readonly TradeRecord[]): Generator<readonly TradeRecord[]> {
  let from = 0;
  for (let at = 1; at <= trades.length; at += 1) {
    const isBlockEnd = trades[at]?.block !== trades[at - 1]?.block;
    if (!isBlockEnd || (at - from < SLICE_TRADES && at < trades.length)) continue;
    yield trades.slice(from, at);
    from = at;
  }
}

export class RollingStats extends CommitFollower<ChainStats, FeedBatch[]> {
  readonly #store: RollingStatsOptions['store'];

  constructor(options: RollingStatsOptions) {
    super(options);
    this.#store = options.store;
  }

  protected override createPending(): FeedBatch[] {
    return [];
  }

  protected override onChange({ batch }: StateChange, state: StatsState): void {
    if (batch !== null && state.pending.length < QUEUE_MAX) {
      state.pending.push(batch);
      return;
    }
    state.mustLoad = true;
    state.pending = [];
  }

  protected override async step(chain: ChainSlug, state: StatsState): Promise<boolean> {
    if (state.mustLoad) {
      state.mustLoad = false;
      state.loaded = await this.#store.snapshot((reader) => loadStats(reader, chain));
      return true;
    }
    const batch = state.pending.shift();
    if (batch === undefined) return false;
    await this.#apply(state, batch);
    return true;
  }

  async #apply(state: StatsState, batch: FeedBatch): Promise<void> {
    const { loaded } = state;
    const { checkpoint, chain, backfilled } = batch;
    if (loaded !== null && checkpoint.version <= loaded.checkpoint.version) return;
    if (loaded === null || checkpoint.version !== loaded.checkpoint.version + 1) {
      state.mustLoad = true;
      return;
    }
    const stats = loaded.value;
    while (batch.decodeSome()) await setImmediate();
    const trades = batch.readTrades();
    const series = stats.listNewSeries(trades);
    const bases =
      series.length === 0
        ? new Map<string, string>()
        : await readPricesBefore(this.#store, chain, {
            series,
            timeMs: Math.min(...trades.map(({ timestampMs }) => timestampMs)),
            candlesFromMs: checkpoint.candlesFromMs ?? 0,
          });
    if (backfilled !== undefined) {
      const of = { chain, token: backfilled, checkpoint };
      state.isHalfway = true;
      await this.#store.snapshot((reader) => addBackfilled(reader, stats, of));
    }
    stats.remove(batch.readReverted());
    for (const slice of listSlices(trades)) {
      if (state.isHalfway) await setImmediate();
      state.isHalfway = true;
      stats.add(slice, bases);
    }
    state.isHalfway = false;
    if (stats.advance(checkpoint.timestampMs)) {
      state.loaded = { value: stats, checkpoint };
      return;
    }
    state.loaded = null;
    state.mustLoad = true;
  }
}
