// What the board keeps of a token or pool: its trades' ends, and its figures in each window.

import type { PackedDecimal } from './packed-decimal.ts';
import { NONE, type SubjectEnds } from './trade-log.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const BOARD_WINDOWS = [
  { name: '5m', lengthMs: 5 * MINUTE_MS },
  { name: '1h', lengthMs: HOUR_MS },
  { name: '6h', lengthMs: 6 * HOUR_MS },
  { name: '24h', lengthMs: 24 * HOUR_MS },
] as const;

/** The fields of a trade that the board counts. */
export interface BoardTrade {
  readonly timestampMs: number;
  readonly block: number;
  readonly logIndex: number;
  readonly side: 'buy' | 'sell';
  readonly wallet: string;
  readonly valueUsd: string | null;
  readonly priceUsd: string | null;
  readonly outlier: boolean;
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

/** The figures of one subject in one window. */
export class WindowCounts {
  volumeUsdE18 = 0n;
  unvalued = 0;
  trades = 0;
  buys = 0;
  buyers = 0;
  sellers = 0;
  limitedVolumeE6 = 0;
  /** The first trade in the window. */
  first = NONE;
  high: PackedDecimal | null = null;
  low: PackedDecimal | null = null;
  /** Whether a trade with the highest or lowest price left, so that they must be searched again. */
  areExtremesStale = false;
}

export class Subject<Key> implements SubjectEnds {
  readonly key: Key;
  readonly id: number;
  /** The last price before its first trade here. */
  base: PackedDecimal | null;
  first = NONE;
  last = NONE;
  readonly windows = BOARD_WINDOWS.map(() => new WindowCounts());
  /** Its position in the columns that it was last looked up in; -1 if it is not known. */
  place = -1;

  constructor(key: Key, id: number, base: PackedDecimal | null) {
    this.key = key;
    this.id = id;
    this.base = base;
  }
}
