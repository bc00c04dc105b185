// Reads the events since a point of a token's stream from the store, one page at a time.
//
// First the revert of what the reader had seen, then trades and ended klines in order.

import {
  addTrade,
  type CandleDraft,
  createCandleDraft,
  toCandle,
  toDraft,
} from '../../candles/candle-draft.ts';
import type { Candle } from '../../candles/derive-klines.ts';
import {
  type CarriedCandle,
  type Closes,
  carryCloses,
  NO_CLOSES,
  passCandle,
} from '../../candles/derive-klines.ts';
import { computeNextOpenTime, computeOpenTime } from '../../candles/interval.ts';
import type { Address } from '../../model/ids.ts';
import type {
  Checkpoint,
  KlineInterval,
  TokenRecord,
  TradeRecord,
} from '../../model/market-record.ts';
import type { RevertedTrade, RollbackRecord } from '../../store/stream-reads.ts';
import type { TokenReference } from '../parse-token.ts';
import type { AnswerReader } from '../read-at.ts';
import { CandleReader } from '../read-candles.ts';
import {
  comparePositions,
  type StreamPoint,
  type StreamPosition,
  toBlockEnd,
  toTip,
  turnTimeBack,
} from './stream-point.ts';
import { type StreamSeries, toSeriesKey } from './stream-set.ts';

// What reorganisations removed of what a stream's reader had seen.

interface RevertedRequest extends Pick<TokenReference, 'chain' | 'token'> {
  readonly point: StreamPoint;
  readonly series: readonly StreamSeries[];
}

export interface Reverted {
  /** That of the last reorganisation. */
  readonly version: number;
  /** All removed blocks are within this range. */
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Removed trades that the reader had seen. */
  readonly trades: readonly Pick<RevertedTrade, 'txHash' | 'index'>[];
  /** The open times of candles that lost trades: the reader may have seen them. */
  readonly klines: ReadonlyMap<KlineInterval, readonly number[]>;
  /** The reader's position after the revert. */
  readonly position: StreamPosition;
}

/** Limits the cost of resuming one reader; beyond them it starts over. */
const ROLLBACKS_MAX = 5000;
const REVERTED_TRADES_MAX = 20_000;

/** Null if nothing was removed since. */
async function readReverted(
  reader: AnswerReader,
  request: RevertedRequest,
  checkpoint: Checkpoint,
): Promise<Reverted | 'expired' | null> {
  const { chain, token, point } = request;
  const afterVersion = point.version;
  if (afterVersion === checkpoint.version) return null;
  const rollbacks = await reader.readRollbacks(chain, { afterVersion, limit: ROLLBACKS_MAX + 1 });
  if (rollbacks.length === 0) return null;
  const limit = REVERTED_TRADES_MAX + 1;
  const reverted = await reader.readRevertedTrades(chain, token, { afterVersion, limit });
  if (rollbacks.length > ROLLBACKS_MAX || reverted.length === limit) return 'expired';
  return {
    version: rollbacks.at(-1)?.version ?? afterVersion,
    fromBlock: Math.min(...rollbacks.map(({ block }) => block)) + 1,
    toBlock: Math.max(...rollbacks.map(({ tipBlock }) => tipBlock)),
    ...findSeen(rollbacks, reverted, point.position),
    klines: new Map(
      request.series.map(({ interval }) => [interval, listOpenTimes(interval, reverted)]),
    ),
  };
}

/**
 * The trades that the reader had seen, and the position up to which its data is still valid. Each
 * rollback lowers that position: what a later one removes above it, the reader never saw.
 */
function findSeen(
  rollbacks: readonly RollbackRecord[],
  reverted: readonly RevertedTrade[],
  from: StreamPosition,
): Pick<Reverted, 'trades' | 'position'> {
  const byVersion = Map.groupBy(reverted, ({ version }) => version);
  const trades: RevertedTrade[] = [];
  let position = from;
  for (const rollback of rollbacks) {
    const taken = byVersion.get(rollback.version) ?? [];
    trades.push(...taken.filter((trade) => comparePositions(trade, position) <= 0));
    const end = toBlockEnd(rollback);
    // Trades and time go back separately: a reader without trades has no block position.
    const timeMs = Math.min(end.timeMs, position.timeMs);
    position = comparePositions(end, position) < 0 ? { ...end, timeMs } : { ...position, timeMs };
  }
  return { trades, position: turnTimeBack(position, reverted) };
}

/**
 * Includes klines that the reader may not have seen: live candles are sent without an id, so that
 * is unknown. Those that still have trades are sent again, since none had ended by the position's
 * time.
 */
function listOpenTimes(
  interval: KlineInterval,
  reverted: readonly RevertedTrade[],
): readonly number[] {
  const times = new Set(reverted.map(({ timestampMs }) => computeOpenTime(interval, timestampMs)));
  return [...times].sort((a, b) => a - b);
}

// The open candles of one token and interval, over all its pools or in one, for live readers.

/** The state of a series at some commit. */
export interface SeriesState {
  /** Candles that the chain's time has not passed, ascending: usually one or none. */
  readonly open: readonly Candle[];
  /** The last closes before them. */
  readonly before: Closes;
  /** The end of the last candle before them; null if there is none. */
  readonly lastEndMs: number | null;
}

export class KlineSeries {
  readonly #series: StreamSeries & { readonly token: Address };
  readonly #drafts: CandleDraft[];
  #lastEndMs: number | null;
  #before: Closes;

  constructor(of: StreamSeries & { readonly token: Address }, state: SeriesState) {
    this.#series = of;
    this.#drafts = state.open.map((candle) => toDraft(candle, candle.openTimeMs));
    this.#lastEndMs = state.lastEndMs;
    this.#before = state.before;
  }

  get series(): StreamSeries {
    const { interval, pool } = this.#series;
    return { interval, pool };
  }

  get interval(): KlineInterval {
    return this.#series.interval;
  }

  /** Candles that the chain's time has not passed yet; trades go into the last one. */
  get open(): readonly CarriedCandle[] {
    const candles = this.#drafts.map((draft) => toCandle(draft, this.#series));
    return carryCloses(candles, this.#before);
  }

  get openCount(): number {
    return this.#drafts.length;
  }

  /** Whether a candle that is closed would be open again if the chain's time were this. */
  isReopenedAt(chainMs: number): boolean {
    return this.#lastEndMs !== null && this.#lastEndMs > chainMs;
  }

  /** Requires that a token's trades never go back in time. */
  add(trade: TradeRecord): void {
    if (this.#series.pool !== null && trade.pool !== this.#series.pool) return;
    const openTimeMs = computeOpenTime(this.interval, trade.timestampMs);
    let draft = this.#drafts.at(-1);
    if (draft === undefined || draft.openTimeMs < openTimeMs) {
      draft = createCandleDraft(openTimeMs);
      this.#drafts.push(draft);
    }
    addTrade(draft, trade);
  }

  /** Advances the chain's time and removes the candles that ended by then, ascending. */
  passTime(chainMs: number): CarriedCandle[] {
    const ended: CarriedCandle[] = [];
    for (let draft = this.#drafts[0]; draft !== undefined; draft = this.#drafts[0]) {
      const endMs = computeNextOpenTime(this.interval, draft.openTimeMs);
      if (endMs > chainMs) break;
      this.#drafts.shift();
      this.#lastEndMs = endMs;
      const candle = toCandle(draft, this.#series);
      ended.push({ ...candle, before: this.#before });
      this.#before = passCandle(this.#before, candle);
    }
    return ended;
  }
}

// Finds the oldest time that a token's trades after a position may have, to limit the read.

/** The first guess of how much older than the chain's time a trade may be. */
const CLOCK_SLACK_MS = 120_000;
const SLACK_FACTOR = 16;

/**
 * A time that no trade after the position is older than. A token's trades never go back in time,
 * but may be older than the chain's time at the position, by as much as that went back.
 */
export async function readOldestTime(
  reader: AnswerReader,
  { chain, token }: Pick<TokenReference, 'chain' | 'token'>,
  after: StreamPosition,
): Promise<number> {
  for (let slackMs = CLOCK_SLACK_MS; slackMs < after.timeMs; slackMs *= SLACK_FACTOR) {
    const timeMs = after.timeMs - slackMs;
    const { trades } = await reader.readTradePage(chain, {
      ...{ token, pool: null, side: null, wallet: null, minUsd: null, after: null },
      range: { fromMs: 0, toMs: timeMs },
      order: 'newest',
      limit: 1,
    });
    const last = trades[0];
    if (last === undefined || comparePositions(last, after) <= 0) return timeMs;
  }
  return 0;
}

export interface MissedRequest extends RevertedRequest {
  readonly epoch: string;
  readonly withTrades: boolean;
  /** For trades, and for the klines of each interval. */
  readonly limit: number;
  /** Whether a token that a reorganisation removed still has its revert; without klines only. */
  readonly mayBeGone?: boolean;
}

export type MissedItem = { readonly position: StreamPosition } & (
  | { readonly kind: 'trade'; readonly trade: TradeRecord }
  | { readonly kind: 'kline'; readonly candle: CarriedCandle }
);

export type KnownToken = Pick<TokenRecord, 'symbol' | 'decimals'>;
export type KnownTokens = ReadonlyMap<Address, KnownToken>;

/** Whether the names of the trades' tokens are known. */
export function areNamed(trades: readonly TradeRecord[], tokens: KnownTokens): boolean {
  const isNamed = (token: Address) => (tokens.get(token)?.decimals ?? null) !== null;
  return trades.every(({ token, quoteToken }) => isNamed(token) && isNamed(quoteToken));
}

export interface Missed {
  readonly checkpoint: Checkpoint;
  readonly reverted: Reverted | null;
  readonly items: readonly MissedItem[];
  /** Where the reader was before this page. */
  readonly from: StreamPosition;
  /** Where it is after this page. */
  readonly point: StreamPoint;
  /** What the items' tokens are called. */
  readonly tokens: KnownTokens;
  /** Each series' candles as of the checkpoint, by its key; null unless this is the last page. */
  readonly series: ReadonlyMap<string, SeriesState> | null;
}

/** Why a stream cannot resume from the point. */
export type NoWay = 'tokenGone' | 'unknown' | 'expired';

export async function readMissed(
  reader: AnswerReader,
  request: MissedRequest,
  checkpoint: Checkpoint | null,
): Promise<Missed | NoWay> {
  const { chain, token, point } = request;
  const epoch = await reader.readEpoch(chain);
  if (checkpoint === null || epoch?.epoch !== request.epoch) return 'unknown';
  if (point.version > checkpoint.version) return 'unknown';
  if (point.version < epoch.forgottenVersion) return 'expired';
  const { tradesFromMs = 0, candlesFromMs = 0 } = checkpoint;
  if (point.position.timeMs < Math.max(tradesFromMs, candlesFromMs)) return 'expired';
  const [record] = await reader.readTokens(chain, [token]);
  if (record === undefined && request.mayBeGone !== true) return 'tokenGone';
  const reverted = await readReverted(reader, request, checkpoint);
  if (reverted === 'expired') return 'expired';
  const from = reverted?.position ?? point.position;
  const { items, isLast } = await readPage(reader, request, { from, checkpoint });
  const quotes = items.flatMap((item) => (item.kind === 'trade' ? item.trade.quoteToken : []));
  const rows = await reader.readTokens(chain, [...new Set(quotes)]);
  const position = items.at(-1)?.position ?? from;
  const { version } = checkpoint;
  const end = isLast ? toTip(checkpoint) : { version, position };
  return {
    checkpoint,
    reverted,
    items,
    from: point.position,
    point: end,
    tokens: new Map([...(record ? [record] : []), ...rows].map((row) => [row.token, row])),
    series: isLast ? await readSeries(reader, request, { record, checkpoint }) : null,
  };
}

interface PageSpan {
  readonly from: StreamPosition;
  readonly checkpoint: Checkpoint;
}

async function readPage(
  reader: AnswerReader,
  request: MissedRequest,
  span: PageSpan,
): Promise<{ readonly items: readonly MissedItem[]; readonly isLast: boolean }> {
  const { withTrades, limit } = request;
  const { checkpoint } = span;
  const trades = await readTrades(reader, request, span.from);
  // A late trade changes klines that were sent as closed: they are sent again.
  const from = turnTimeBack(span.from, trades);
  // Beyond this time not everything is in the page.
  let untilMs = Number.POSITIVE_INFINITY;
  const last = trades.at(-1);
  if (withTrades && last !== undefined && trades.length === limit) untilMs = last.timestampMs;
  const ended: EndedKline[] = [];
  for (const series of request.series) {
    const found = await readEnded(reader, request, { from, checkpoint, series });
    ended.push(...found);
    if (found.length === limit) untilMs = Math.min(untilMs, found.at(-1)?.endMs ?? untilMs);
  }
  // Without trades, klines are sent with every trade up to the checkpoint in them.
  const start = withTrades ? from : { ...toTip(checkpoint).position, timeMs: from.timeMs };
  const items = mergeItems(start, {
    trades: withTrades ? trades.filter(({ timestampMs }) => timestampMs <= untilMs) : [],
    ended: ended.filter(({ endMs }) => endMs <= untilMs),
  });
  return { items, isLast: untilMs === Number.POSITIVE_INFINITY };
}

/** The trades of a page; the first alone where only klines are wanted. */
async function readTrades(
  reader: AnswerReader,
  { chain, token, withTrades, series, limit }: MissedRequest,
  after: StreamPosition,
): Promise<readonly TradeRecord[]> {
  if (!withTrades && series.length === 0) return [];
  const sinceMs = await readOldestTime(reader, { chain, token }, after);
  return reader.readTradesAfter(chain, token, { after, sinceMs, limit: withTrades ? limit : 1 });
}

interface EndedKline {
  readonly endMs: number;
  readonly candle: CarriedCandle;
}

/** Klines that ended after a position's time, by the chain's time. */
async function readEnded(
  reader: AnswerReader,
  request: MissedRequest,
  span: PageSpan & { readonly series: StreamSeries },
): Promise<EndedKline[]> {
  const { interval } = span.series;
  const fromMs = computeOpenTime(interval, span.from.timeMs);
  const toMs = computeOpenTime(interval, span.checkpoint.timestampMs);
  if (fromMs >= toMs) return [];
  const { chain, token, limit } = request;
  const candles = new CandleReader(reader, chain, { token, ...span.series }, span.checkpoint);
  const page = await candles.readCarried({ fromMs, toMs, end: 'first', limit });
  return page.map((candle) => ({
    endMs: computeNextOpenTime(interval, candle.openTimeMs),
    candle,
  }));
}

/** A kline's end comes before the first trade after it. */
function mergeItems(
  from: StreamPosition,
  page: { readonly trades: readonly TradeRecord[]; readonly ended: readonly EndedKline[] },
): MissedItem[] {
  const items: MissedItem[] = [];
  const ended = page.ended.toSorted((a, b) => a.endMs - b.endMs);
  let position = from;
  let next = 0;
  const endUpTo = (timeMs: number) => {
    for (let one = ended[next]; one !== undefined && one.endMs <= timeMs; one = ended[next]) {
      position = { ...position, timeMs: one.endMs };
      items.push({ kind: 'kline', position, candle: one.candle });
      next += 1;
    }
  };
  for (const trade of page.trades) {
    endUpTo(trade.timestampMs);
    position = { ...position, block: trade.block, logIndex: trade.logIndex };
    items.push({ kind: 'trade', position, trade });
  }
  endUpTo(Number.POSITIVE_INFINITY);
  return items;
}

async function readSeries(
  reader: AnswerReader,
  request: MissedRequest,
  at: { readonly record: TokenRecord | undefined; readonly checkpoint: Checkpoint },
): Promise<ReadonlyMap<string, SeriesState>> {
  const { chain, token } = request;
  const states = new Map<string, SeriesState>();
  for (const series of request.series) {
    const { interval } = series;
    const candles = new CandleReader(reader, chain, { token, ...series }, at.checkpoint);
    const openMs = computeOpenTime(interval, at.checkpoint.timestampMs);
    const record = at.record ?? { lastTradeAtMs: null };
    const open = await readOpen(candles, { interval, record, checkpoint: at.checkpoint });
    const before = { fromMs: 0, toMs: openMs, end: 'last', limit: 1 } as const;
    const [closed] = await candles.readCarried(before);
    const lastEndMs =
      closed === undefined ? null : computeNextOpenTime(interval, closed.openTimeMs);
    const closes = closed === undefined ? NO_CLOSES : passCandle(closed.before, closed);
    states.set(toSeriesKey(series), { open, lastEndMs, before: closes });
  }
  return states;
}

/** The maximum number of open candles: more than one only if the chain's time went back. */
const OPEN_CANDLES_MAX = 1000;

export function readOpen(
  candles: CandleReader,
  at: {
    readonly interval: KlineInterval;
    readonly record: Pick<TokenRecord, 'lastTradeAtMs'>;
    readonly checkpoint: Checkpoint;
  },
): Promise<readonly CarriedCandle[]> {
  const chainMs = at.checkpoint.timestampMs;
  const lastMs = computeOpenTime(at.interval, Math.max(chainMs, at.record.lastTradeAtMs ?? 0));
  return candles.readCarried({
    fromMs: computeOpenTime(at.interval, chainMs),
    toMs: computeNextOpenTime(at.interval, lastMs),
    end: 'last',
    limit: OPEN_CANDLES_MAX,
  });
}
