// What the rolling stats know of a token or pool, as it is shown.

import type { OutputOf } from '../../contract/operation.ts';
import type { getToken } from '../../contract/operations/get-token.ts';
import { pow10, ratioToText } from '../../lib/decimal.ts';
import { type PackedDecimal, packDecimal, unpackDecimal } from './packed-decimal.ts';
import type { WindowStats } from './window-stats.ts';
import { STATS_WINDOWS, type WindowFigures } from './window-subject.ts';

export type WindowsAnswer = OutputOf<typeof getToken>['windows'];
type WindowAnswer = WindowsAnswer['24h'];

/** The figures of each window; null where nothing was traded for longer than the longest. */
interface StatsReading {
  readonly figures: readonly (WindowFigures | null)[];
  /** The chain's time at which they change even without a trade. */
  readonly nextChangeMs: number;
}

const USD_E18 = pow10(18);

export function readStats<Key extends string>(stats: WindowStats<Key>, key: Key): StatsReading {
  return {
    figures: STATS_WINDOWS.map((_, window) => stats.read(key, window)),
    nextChangeMs: stats.findNextChange(key),
  };
}

/** Change in per cent from one price to another, to six decimals. */
function computeChangePct(from: PackedDecimal, to: PackedDecimal): number {
  if (from.digits === 0n) return 0;
  const shift = to.exponent - from.exponent;
  const numerator = shift >= 0 ? to.digits * pow10(shift) : to.digits;
  const denominator = shift >= 0 ? from.digits : from.digits * pow10(-shift);
  return Number(((numerator - denominator) * 100_000_000n) / denominator) / 1_000_000;
}

/**
 * The change over a window: from the last price before it, else, for what is younger than the
 * window, from its first price. Null if either is unknown.
 */
export function computeChange(
  { before, first }: Pick<WindowFigures, 'before' | 'first'>,
  price: PackedDecimal | null,
  isCovered: boolean,
): number | null {
  const from = before ?? (isCovered ? first : null);
  return price === null || from === null ? null : computeChangePct(from, price);
}

/** The volume is unknown if no trade has a value. */
function findVolume({ volumeUsdE18, unvalued, trades }: WindowFigures): string | null {
  if (unvalued === trades && trades > 0) return null;
  return ratioToText({ numerator: volumeUsdE18, denominator: USD_E18 });
}

function showPrice(price: PackedDecimal | null): string | null {
  return price === null ? null : unpackDecimal(price);
}

const UNCOVERED = {
  ...{ volumeUsd: null, trades: null, buys: null, sells: null, buyers: null, sellers: null },
  ...{ highUsd: null, lowUsd: null },
} as const;

const QUIET = {
  ...{ volumeUsd: '0', trades: 0, buys: 0, sells: 0, buyers: 0, sellers: 0 },
  ...{ highUsd: null, lowUsd: null },
} as const;

function buildWindow(
  figures: WindowFigures | null,
  price: PackedDecimal | null,
  isCovered: boolean,
): WindowAnswer {
  if (figures === null) {
    const priceChangePct = price === null ? null : 0;
    return { ...(isCovered ? QUIET : UNCOVERED), priceChangePct };
  }
  const priceChangePct = computeChange(figures, price, isCovered);
  if (!isCovered) return { ...UNCOVERED, priceChangePct };
  return {
    volumeUsd: findVolume(figures),
    trades: figures.trades,
    buys: figures.buys,
    sells: figures.sells,
    buyers: figures.buyers,
    sellers: figures.sellers,
    priceChangePct,
    highUsd: showPrice(figures.high),
    lowUsd: showPrice(figures.low),
  };
}

/** `coveredMs` is how much of the chain's time up to now is indexed. */
export function buildWindows(
  reading: StatsReading,
  priceUsd: string | null,
  coveredMs: number,
): WindowsAnswer {
  const price = priceUsd === null ? null : packDecimal(priceUsd);
  const windows = STATS_WINDOWS.map(({ name, lengthMs }, window) => {
    const figures = reading.figures[window] ?? null;
    return [name, buildWindow(figures, price, lengthMs <= coveredMs)];
  });
  return Object.fromEntries(windows) as WindowsAnswer;
}

/** The chain's times for which the windows stay as they are while nothing is traded. */
export function findWindowsEnd(reading: StatsReading, headMs: number, coveredMs: number): number {
  const nextCovered = STATS_WINDOWS.find(({ lengthMs }) => lengthMs > coveredMs);
  const coveredAtMs =
    nextCovered === undefined
      ? Number.POSITIVE_INFINITY
      : headMs + nextCovered.lengthMs - coveredMs;
  return Math.min(reading.nextChangeMs, coveredAtMs);
}
