// What a wallet's trades of one token come to. USD is counted in whole millionths.

import type { Address } from './ids.ts';

/** The times that top traders are listed for. */
export const TRADER_WINDOWS = ['24h', '7d', '30d', 'all'] as const;

export type TraderWindow = (typeof TRADER_WINDOWS)[number];

/** Sums over trades. */
export interface TradeFigures {
  readonly volumeUsdE6: bigint;
  /** What sold units brought above their cost; negative for a loss. */
  readonly realisedUsdE6: bigint;
  readonly buys: number;
  readonly sells: number;
}

/** The trades of one hour, or of one UTC day as far as its hours are no longer kept apart. */
export interface PositionPeriod extends TradeFigures {
  readonly length: 'hour' | 'day';
  readonly startMs: number;
}

export interface PositionKey {
  readonly token: Address;
  readonly wallet: Address;
}

export interface PositionRecord extends PositionKey {
  /** Held units that were bought at a known value, and what they cost. */
  readonly boughtRaw: bigint;
  readonly costUsdE6: bigint;
  /** Held units whose cost is not known: they came without a trade, or its value is unknown. */
  readonly otherRaw: bigint;
  /** False once units of unknown cost came in, or units were sold for an unknown value. */
  readonly isCostKnown: boolean;
  readonly firstTradeAtMs: number;
  readonly lastTradeAtMs: number;
  /** Trades from before the periods. */
  readonly older: TradeFigures;
  /** The last 30 days before the last trade; the last 24 hours of them by the hour. Ascending. */
  readonly periods: readonly PositionPeriod[];
}
