// A position's trades by time, for figures over the last 24 hours, 7 and 30 days.
//
// Windows begin at a full hour (24 hours) or at midnight UTC (7 and 30 days), so sums of hours and
// days are exact. What no window can reach any more is merged: hours into days, days into the rest.

import type {
  PositionPeriod,
  PositionRecord,
  TradeFigures,
  TraderWindow,
} from '../model/position.ts';

// Volumes in steps, each twice the one before, to index positions by: few trades take a position
// to the next step, so the index changes seldom. A step bounds the volumes in it.

/** Ascends with the volume; 0 for none. */
export function computeVolumeStep(volumeE6: bigint): number {
  return volumeE6 === 0n ? 0 : volumeE6.toString(2).length;
}

/** The largest volume in a step. */
export function findStepMax(step: number): bigint {
  return (1n << BigInt(step)) - 1n;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function floorTo(timeMs: number, lengthMs: number): number {
  return timeMs - (timeMs % lengthMs);
}

/** When a window begins that ends at a time; 0 for all of it. */
export function findWindowStart(window: TraderWindow, endMs: number): number {
  switch (window) {
    case '24h':
      return Math.max(0, floorTo(endMs, HOUR_MS) - DAY_MS);
    case '7d':
      return Math.max(0, floorTo(endMs, DAY_MS) - 7 * DAY_MS);
    case '30d':
      return Math.max(0, floorTo(endMs, DAY_MS) - 30 * DAY_MS);
    case 'all':
      return 0;
  }
}

/** When the window of a time begins later: with the next hour or day. */
export function findWindowEnd(window: TraderWindow, timeMs: number): number {
  if (window === 'all') return Number.POSITIVE_INFINITY;
  const lengthMs = window === '24h' ? HOUR_MS : DAY_MS;
  return floorTo(timeMs, lengthMs) + lengthMs;
}

function addFigures(a: TradeFigures, b: TradeFigures): TradeFigures {
  return {
    volumeUsdE6: a.volumeUsdE6 + b.volumeUsdE6,
    realisedUsdE6: a.realisedUsdE6 + b.realisedUsdE6,
    buys: a.buys + b.buys,
    sells: a.sells + b.sells,
  };
}

/** A literal of all properties: a spread would keep some of them in an array beside the object. */
export function createPeriod(
  length: PositionPeriod['length'],
  startMs: number,
  figures: TradeFigures,
): PositionPeriod {
  const { volumeUsdE6, realisedUsdE6, buys, sells } = figures;
  return { length, startMs, volumeUsdE6, realisedUsdE6, buys, sells };
}

type Periods = Pick<PositionRecord, 'older' | 'periods'>;

function mergeInto(
  periods: PositionPeriod[],
  length: PositionPeriod['length'],
  at: { readonly startMs: number; readonly figures: TradeFigures },
): void {
  const { startMs, figures } = at;
  const last = periods.at(-1);
  const isSame = last?.length === length && last.startMs === startMs;
  const merged = createPeriod(length, startMs, isSame ? addFigures(last, figures) : figures);
  if (isSame) periods[periods.length - 1] = merged;
  else periods.push(merged);
}

/** Adds a trade that is not earlier than those that are there. */
export function addToPeriods(
  position: Periods,
  timestampMs: number,
  figures: TradeFigures,
): Periods {
  const hoursFrom = findWindowStart('24h', timestampMs);
  const daysFrom = findWindowStart('30d', timestampMs);
  let { older } = position;
  const periods: PositionPeriod[] = [];
  for (const period of position.periods) {
    if (period.startMs < daysFrom) {
      older = addFigures(older, period);
    } else if (period.length === 'hour' && period.startMs >= hoursFrom) {
      periods.push(period);
    } else {
      const startMs = floorTo(period.startMs, DAY_MS);
      mergeInto(periods, 'day', { startMs, figures: period });
    }
  }
  mergeInto(periods, 'hour', { startMs: floorTo(timestampMs, HOUR_MS), figures });
  // A copy has no spare room. An array that grew has room for 17, and most positions have one.
  return { older, periods: periods.slice() };
}

/** Of the trades from a time on that `findWindowStart` returned. */
export function sumFigures(position: Periods, fromMs: number): TradeFigures {
  let sum: TradeFigures = { volumeUsdE6: 0n, realisedUsdE6: 0n, buys: 0, sells: 0 };
  if (fromMs === 0) sum = position.older;
  for (const period of position.periods) {
    if (period.startMs >= fromMs) sum = addFigures(sum, period);
  }
  return sum;
}
