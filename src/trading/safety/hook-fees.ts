// What a hook takes of swaps in its pool, as a round trip showed it: told and priced as a fee.

import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import type { DirectionFees } from '../../amm/concentrated/swap-fee.ts';
import { swapAndMove } from '../../amm/swap-pool.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { RoundTripView, SwapMeasure } from './to-pool-safety.ts';

const PIPS = 1_000_000n;
const FEE_MAX = 999_999;
const NO_FEES: DirectionFees = { zeroForOne: 0, oneForZero: 0 };

function withFees(curve: ConcentratedPool, fees: DirectionFees): ConcentratedPool {
  return new ConcentratedPool(curve.state, { ...curve.terms, fees });
}

/** The part that is missing of what the pool would pay without any fee. */
function toFee(free: bigint, paid: bigint): number {
  if (free === 0n || paid >= free) return 0;
  return Math.min(FEE_MAX, Number(((free - paid) * PIPS * 2n + free) / (2n * free)));
}

/** Null for pools whose fees are known, and where the trip did not get there and back. */
export function toHookFees(
  pool: GraphPool,
  zeroForOne: boolean,
  view: RoundTripView | null,
): DirectionFees | null {
  const { curve } = pool;
  const isOpen = pool.inexact === 'hook' && curve instanceof ConcentratedPool;
  const there: SwapMeasure | null = view?.there ?? null;
  if (!isOpen || there === null || !there.isDone) return null;
  const { swap, after } = swapAndMove(withFees(curve, NO_FEES), zeroForOne, there.sent);
  const forth = toFee(swap.amountOut, there.paid);
  const back = view?.back ?? null;
  const again =
    back === null || !back.isDone
      ? forth
      : toFee(after.swapIn(!zeroForOne, back.sent).amountOut, back.paid);
  return zeroForOne
    ? { zeroForOne: forth, oneForZero: again }
    : { zeroForOne: again, oneForZero: forth };
}

/** The pool with the fees that its hook was seen to take. */
export function refitPool(pool: GraphPool, fees: DirectionFees | null): GraphPool {
  const { curve } = pool;
  if (fees === null || pool.inexact !== 'hook' || !(curve instanceof ConcentratedPool)) return pool;
  return { ...pool, curve: withFees(curve, fees) };
}
