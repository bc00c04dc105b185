// Figures of tokens over the last 24 hours of their chain, to the minute.
//
// The window is the current minute and the 1,439 before it. It is read from as few candles as
// possible: minutes up to a quarter of an hour, quarters up to two hours, then two hours at a time.

import { computeOpenTime } from '../candles/interval.ts';
import { addTexts, roundText, textToDecimal, toRatio } from '../lib/decimal.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { CandleRecord, TokenRecord } from '../model/market-record.ts';
import type { CandleSeries, TimeRange } from '../store/market-reads.ts';
import type { AnswerReader } from './read-at.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const TWO_HOURS_MS = 120 * MINUTE_MS;
const WINDOW_MINUTES = 1440;

/**
 * Candles before the window that are searched for the previous price: one may hold only outliers.
 */
const CANDLES_BEFORE = 5;

export interface DayFigures {
  readonly volume24hUsd: string | null;
  readonly trades24h: number | null;
  readonly priceChange24hPct: number | null;
}

/** The minute of chain time for which figures computed now are valid. */
export function findFigureMinute(chainMs: number): TimeRange {
  const fromMs = computeOpenTime('1m', chainMs);
  return { fromMs, toMs: fromMs + MINUTE_MS };
}

export function computeWindowStart(chainMs: number): number {
  return computeOpenTime('1m', chainMs) - (WINDOW_MINUTES - 1) * MINUTE_MS;
}

function ceilTo(timeMs: number, stepMs: number): number {
  return Math.ceil(timeMs / stepMs) * stepMs;
}

function planRanges(token: Address, startMs: number): (CandleSeries & TimeRange)[] {
  const quarterMs = ceilTo(startMs, QUARTER_MS);
  const twoHoursMs = ceilTo(quarterMs, TWO_HOURS_MS);
  const endMs = Number.MAX_SAFE_INTEGER;
  return [
    { token, pool: null, interval: '1m', fromMs: startMs, toMs: quarterMs },
    { token, pool: null, interval: '15m', fromMs: quarterMs, toMs: twoHoursMs },
    { token, pool: null, interval: '2h', fromMs: twoHoursMs, toMs: endMs },
  ];
}

/** Change in per cent from one price to another, to six decimals. */
function computeChangePct(from: string, to: string): number {
  const before = toRatio(textToDecimal(from));
  const after = toRatio(textToDecimal(to));
  const numerator = after.numerator * before.denominator;
  const denominator = after.denominator * before.numerator;
  if (denominator === 0n) return 0;
  return Number(((numerator - denominator) * 100_000_000n) / denominator) / 1_000_000;
}

function byTime(a: CandleRecord, b: CandleRecord): number {
  return a.openTimeMs - b.openTimeMs;
}

function computeChange(
  token: TokenRecord,
  candles: { readonly within: readonly CandleRecord[]; readonly before: readonly CandleRecord[] },
  isCovered: boolean,
): number | null {
  if (token.priceUsd === null) return null;
  const prior = candles.before.findLast((candle) => candle.usdClean ?? candle.usd);
  const priorPrice = (prior?.usdClean ?? prior?.usd)?.close;
  if (priorPrice !== undefined) return computeChangePct(priorPrice, token.priceUsd);
  // A token younger than the window is compared with its first price.
  const first = candles.within.find((candle) => candle.usdClean ?? candle.usd);
  const firstPrice = (first?.usdClean ?? first?.usd)?.open;
  return isCovered && firstPrice !== undefined
    ? computeChangePct(firstPrice, token.priceUsd)
    : null;
}

function computeFigures(
  token: TokenRecord,
  candles: { readonly within: readonly CandleRecord[]; readonly before: readonly CandleRecord[] },
  isCovered: boolean,
): DayFigures {
  const trades = candles.within.reduce((sum, candle) => sum + candle.trades, 0);
  const volume = candles.within.reduce((sum, candle) => addTexts(sum, candle.quoteVolumeUsd), '0');
  const isValued = trades === 0 || volume !== '0';
  return {
    volume24hUsd: isCovered && isValued ? roundText(volume) : null,
    trades24h: isCovered ? trades : null,
    priceChange24hPct: computeChange(token, candles, isCovered),
  };
}

/** A token without trades in the window needs no candles. */
function buildQuietFigures(token: TokenRecord, isCovered: boolean): DayFigures {
  return {
    volume24hUsd: isCovered ? '0' : null,
    trades24h: isCovered ? 0 : null,
    priceChange24hPct: token.priceUsd === null ? null : 0,
  };
}

/** Candles from before the window: of minutes, and of days where only those are kept. */
async function readBefore(
  reader: AnswerReader,
  chain: ChainSlug,
  wanted: {
    readonly tokens: readonly TokenRecord[];
    readonly startMs: number;
    readonly candlesFromMs: number;
  },
): Promise<CandleRecord[]> {
  const { tokens, startMs, candlesFromMs } = wanted;
  const read = (interval: '1m' | '1d', beforeMs: number) =>
    reader.readCandlesBefore(
      chain,
      tokens.map(({ token }) => ({ token, pool: null, interval, beforeMs })),
      CANDLES_BEFORE,
    );
  const minutes = await read('1m', startMs);
  if (candlesFromMs === 0) return minutes;
  const kept = minutes.filter(({ openTimeMs }) => openTimeMs >= candlesFromMs);
  return [...(await read('1d', candlesFromMs)), ...kept];
}

/** `isCovered` says whether everything in the window has been indexed. */
export async function readDayFigures(
  reader: AnswerReader,
  chain: ChainSlug,
  wanted: {
    readonly tokens: readonly TokenRecord[];
    readonly chainMs: number;
    /** Before this time only candles of days are kept. */
    readonly candlesFromMs: number;
    readonly isCovered: boolean;
  },
): Promise<ReadonlyMap<Address, DayFigures>> {
  const { tokens, isCovered } = wanted;
  const startMs = computeWindowStart(wanted.chainMs);
  const isQuiet = (token: TokenRecord) => (token.lastTradeAtMs ?? 0) < startMs;
  const traded = tokens.filter((token) => !isQuiet(token));
  const within = new Map<Address, CandleRecord[]>(traded.map(({ token }) => [token, []]));
  const before = new Map<Address, CandleRecord[]>(traded.map(({ token }) => [token, []]));
  if (traded.length > 0) {
    const ranges = traded.flatMap(({ token }) => planRanges(token, startMs));
    for (const candle of await reader.readCandleRanges(chain, ranges)) {
      within.get(candle.token)?.push(candle);
    }
    for (const candle of await readBefore(reader, chain, { ...wanted, tokens: traded, startMs })) {
      before.get(candle.token)?.push(candle);
    }
  }
  return new Map(
    tokens.map((token) => {
      const ofWindow = within.get(token.token)?.sort(byTime);
      const ofBefore = before.get(token.token)?.sort(byTime);
      if (ofWindow === undefined || ofBefore === undefined) {
        return [token.token, buildQuietFigures(token, isCovered)];
      }
      return [
        token.token,
        computeFigures(token, { within: ofWindow, before: ofBefore }, isCovered),
      ];
    }),
  );
}
