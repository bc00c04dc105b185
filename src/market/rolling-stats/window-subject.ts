// What the rolling stats count, and the figures of a token or pool in a window.

import type { TradeRecord } from '../../model/market-record.ts';
import { type PackedDecimal, packDecimal } from './packed-decimal.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const STATS_WINDOWS = [
  { name: '5m', lengthMs: 5 * MINUTE_MS },
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
