// What a pool of Curve pays, as its contract computes it: for pools with formulas that are not
// here. Whether it is a stable or a crypto pool is not known before: only one of the two functions
// is answered.

import { parseCoinPairPool } from '../../data/evm-ids.ts';
import { encodeCallData, hasWords, uintAt, uintWord } from '../../data/hex-data.ts';
import type { AskedSwap, PoolAsk } from '../pool-ask.ts';
import { CRYPTO_SELECTORS, STABLE_SELECTORS } from './curve-selectors.ts';

function decodeAmount(answer: string): bigint | null {
  const amountOut = hasWords(answer, 1) ? uintAt(answer, 0) : 0n;
  return amountOut > 0n ? amountOut : null;
}

/** Both ways to ask; none if the pool is not one of Curve. */
export function listCurveAsks({ pool: { pool }, zeroForOne }: AskedSwap): PoolAsk[] {
  const pair = parseCoinPairPool(pool);
  if (pair === null) return [];
  const { contract: to, lower, upper, isUnderlying } = pair;
  const coins = (zeroForOne ? [lower, upper] : [upper, lower]).map(uintWord);
  return [true, false].map((isStable) => {
    const { getDy, getDyUnderlying } = isStable ? STABLE_SELECTORS : CRYPTO_SELECTORS;
    const selector = isUnderlying ? getDyUnderlying : getDy;
    return {
      isStable,
      encode: (amountIn) => {
        return { to, data: encodeCallData(selector, ...coins, uintWord(amountIn)) };
      },
      decode: decodeAmount,
    };
  });
}
