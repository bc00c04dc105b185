// A candle whose trades set no price is shown at the last close before it.

import type { CandleRecord } from '../model/market-record.ts';
import type { Candle } from './derive-klines.ts';

/** The prices of a candle: in both currencies, with all trades and without outliers. */
export const PRICE_NAMES = ['native', 'usd', 'nativeClean', 'usdClean'] as const;

/** The last closes; null where there was none yet. */
export type Closes = Readonly<Record<(typeof PRICE_NAMES)[number], string | null>>;

/** A candle and the last closes before it. */
export type CarriedCandle = Candle & { readonly before: Closes };

export const NO_CLOSES: Closes = { native: null, usd: null, nativeClean: null, usdClean: null };

/** The last closes after a candle. */
export function passCandle(
  before: Closes,
  { native, usd, nativeClean, usdClean }: Pick<CandleRecord, (typeof PRICE_NAMES)[number]>,
): Closes {
  return {
    native: native?.close ?? before.native,
    usd: usd?.close ?? before.usd,
    nativeClean: nativeClean?.close ?? before.nativeClean,
    usdClean: usdClean?.close ?? before.usdClean,
  };
}

/** `before` are the closes before the first of the candles, which ascend. */
export function carryCloses(candles: readonly Candle[], before: Closes): CarriedCandle[] {
  let closes = before;
  return candles.map((candle) => {
    const carried = { ...candle, before: closes };
    closes = passCandle(closes, candle);
    return carried;
  });
}
