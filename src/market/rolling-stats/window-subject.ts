// What the rolling stats count, and the figures of a token or pool in a window.

import type { TradeRecord } from '../../model/market-record.ts';
import { type PackedDecimal, packDecimal } from './packed-decimal.ts';

// The figures of all subjects in one window, in typed arrays by the subjects' numbers: a list looks
// at every one of them.

const CAPACITY_FIRST = 1024;

/** What is known of a price that a change is counted from. */
export const START = {
  /** It must be searched again. */
  stale: 0,
  /** The last price before the window. */
  before: 1,
  /** There is none; this is the first price in the window. */
  first: 2,
  none: 3,
} as const;

function createColumns(size: number) {
  return {
    trades: new Uint32Array(size),
    buys: new Uint32Array(size),
    unvalued: new Uint32Array(size),
    buyers: new Uint32Array(size),
    sellers: new Uint32Array(size),
    limitedVolumeE6: new Float64Array(size),
    /** The nearest doubles of `volumesE18`. */
    volume: new Float64Array(size),
    /** Rough. */
    start: new Float64Array(size),
    startKind: new Uint8Array(size),
  };
}

type FigureColumns = ReturnType<typeof createColumns>;

export class WindowColumns {
  #columns = createColumns(CAPACITY_FIRST);
  /** In 1e-18 USD. */
  readonly volumesE18: bigint[] = [];

  /** Replaced when they grow: read them again after `place`. */
  get columns(): FigureColumns {
    return this.#columns;
  }

  /** Makes room for a subject that has no trades. */
  place(id: number): void {
    if (id >= this.#columns.trades.length) {
      const grown = createColumns(this.#columns.trades.length * 2);
      for (const name of Object.keys(grown) as (keyof FigureColumns)[]) {
        (grown[name] as Float64Array).set(this.#columns[name] as Float64Array);
      }
      this.#columns = grown;
    }
    this.volumesE18[id] = 0n;
    this.#columns.startKind[id] = START.stale;
  }

  /** A trade of a subject enters or leaves the window. */
  count(
    trade: { readonly subject: number; readonly isBuy: boolean; readonly valueE18: bigint | null },
    by: 1 | -1,
  ): void {
    const { trades, buys, unvalued, startKind } = this.#columns;
    const { subject } = trade;
    trades[subject] = (trades[subject] ?? 0) + by;
    if (trade.isBuy) buys[subject] = (buys[subject] ?? 0) + by;
    if (trade.valueE18 === null) unvalued[subject] = (unvalued[subject] ?? 0) + by;
    startKind[subject] = START.stale;
  }

  addVolume(id: number, changeE18: bigint): void {
    const sum = (this.volumesE18[id] ?? 0n) + changeE18;
    this.volumesE18[id] = sum;
    this.#columns.volume[id] = Number(sum);
  }
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const STATS_WINDOWS = [
  { name: '5m', lengthMs: 5 * MINUTE_MS },
  { name: '15m', lengthMs: 15 * MINUTE_MS },
  { name: '30m', lengthMs: 30 * MINUTE_MS },
  { name: '1h', lengthMs: HOUR_MS },
  { name: '6h', lengthMs: 6 * HOUR_MS },
  { name: '24h', lengthMs: 24 * HOUR_MS },
] as const;

/** The fields of a trade that the rolling stats count. */
export type CountedTrade = Pick<
  TradeRecord,
  'timestampMs' | 'block' | 'logIndex' | 'side' | 'valueUsd' | 'priceUsd' | 'outlier'
> & { readonly wallet: string };

/** A trade as it is counted in the rolling stats of its token and its pool. */
export interface StatsTrade {
  readonly timestampMs: number;
  readonly block: number;
  readonly logIndex: number;
  readonly isBuy: boolean;
  readonly wallet: string;
  /** In USD; null if unknown. */
  readonly value: PackedDecimal | null;
  /** In USD; null if unknown or an outlier. */
  readonly price: PackedDecimal | null;
}

export function packTrade(trade: CountedTrade): StatsTrade {
  const { timestampMs, block, logIndex, wallet, valueUsd, priceUsd } = trade;
  return {
    ...{ timestampMs, block, logIndex, wallet },
    isBuy: trade.side === 'buy',
    value: valueUsd === null ? null : packDecimal(valueUsd),
    price: priceUsd === null || trade.outlier ? null : packDecimal(priceUsd),
  };
}

export interface WindowFigures {
  /** In 1e-18 USD; each trade's value is rounded down to that. */
  readonly volumeUsdE18: bigint;
  /** Trades without a value; their volume is missing from the sum. */
  readonly unvalued: number;
  readonly trades: number;
  readonly buys: number;
  readonly sells: number;
  readonly buyers: number;
  readonly sellers: number;
  /** The sum over its wallets of what each traded, at most 1,000 USD of each, in 1e-6 USD. */
  readonly limitedVolumeE6: number;
  readonly high: PackedDecimal | null;
  readonly low: PackedDecimal | null;
  /** The last price before the window; null if there was none. */
  readonly before: PackedDecimal | null;
  /** The first and the last price in the window. */
  readonly first: PackedDecimal | null;
  readonly last: PackedDecimal | null;
}
