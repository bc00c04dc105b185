// Reads the events since a point of a token's stream from the store, one page at a time.
//
// First the revert of what the reader had seen, then trades and ended klines in order.

import { type CarriedCandle, NO_CLOSES, passCandle } from '../../candles/carried-candle.ts';
import { computeNextOpenTime, computeOpenTime } from '../../candles/interval.ts';
import type { Address } from '../../model/ids.ts';
import type {
  Checkpoint,
  KlineInterval,
  TokenRecord,
  TradeRecord,
} from '../../model/market-record.ts';
import type { AnswerReader } from '../read-at.ts';
import { CandleReader } from '../read-candles.ts';
import type { SeriesState } from './kline-series.ts';
import { readOldestTime } from './read-oldest-time.ts';
import { type Reverted, type RevertedRequest, readReverted } from './read-reverted.ts';
import { type StreamSeries, toSeriesKey } from './stream-filter.ts';
import { type StreamPoint, type StreamPosition, toTip, turnTimeBack } from './stream-point.ts';

export interface MissedRequest extends RevertedRequest {
  readonly epoch: string;
  readonly withTrades: boolean;
  /** For trades, and for the klines of each interval. */
  readonly limit: number;
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
  if (record === undefined) return 'tokenGone';
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
    tokens: new Map([record, ...rows].map((row) => [row.token, row])),
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
  at: { readonly record: TokenRecord; readonly checkpoint: Checkpoint },
): Promise<ReadonlyMap<string, SeriesState>> {
  const { chain, token } = request;
  const states = new Map<string, SeriesState>();
  for (const series of request.series) {
    const { interval } = series;
    const candles = new CandleReader(reader, chain, { token, ...series }, at.checkpoint);
    const openMs = computeOpenTime(interval, at.checkpoint.timestampMs);
    const open = await readOpen(candles, { interval, ...at });
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
