// What a hook takes of swaps in its pool, as measured by a round trip; shown and priced as a fee.

import type { DirectionFees } from '../../amm/swap-pool.ts';
import type { RoundTripView, SwapMeasure } from '../../chains/chain-nodes.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';

/** `moved`: the round trip ran on another state of the pool, so it cannot be compared. */
type HookFees =
  | { readonly kind: 'measured'; readonly fees: DirectionFees }
  | { readonly kind: 'none' }
  | { readonly kind: 'moved' };

const PIPS = 1_000_000n;
const FEE_MAX = 999_999;
const NO_FEES: DirectionFees = { zeroForOne: 0, oneForZero: 0 };

/** The missing share of what the pool would pay without any fee. */
function computeFee(free: bigint, paid: bigint): number {
  if (free === 0n || paid >= free) return 0;
  return Math.min(FEE_MAX, Number(((free - paid) * PIPS * 2n + free) / (2n * free)));
}

/**
 * Whether the swap began on the state in memory. A node may run a call on another block than it was
 * asked for or reports, and the pool's move would be mistaken for a fee of its hook.
 */
function isSameState({ curve }: GraphPool, { before }: SwapMeasure): boolean {
  if (before === null) return false;
  const { numerator, denominator } = curve.midPrice(true);
  const isSamePrice = before.sqrtPriceX96 ** 2n * denominator === numerator << 192n;
  return isSamePrice && Number(before.liquidity) === curve.depth;
}

/** `none` for pools whose fees are known, and if the round trip was not completed. */
export function computeHookFees(
  pool: GraphPool,
  zeroForOne: boolean,
  view: RoundTripView | null,
): HookFees {
  const { curve } = pool;
  const there: SwapMeasure | null = view?.there ?? null;
  if (pool.inexact !== 'hook' || there === null || !there.isDone) return { kind: 'none' };
  if (!isSameState(pool, there)) return { kind: 'moved' };
  const { swap, after } = curve.withFees(NO_FEES).swapAndMove(zeroForOne, there.sent);
  // Beyond the ticks that are known.
  if (!swap.isFilled) return { kind: 'none' };
  const forth = computeFee(swap.amountOut, there.paid);
  const back = view?.back ?? null;
  const again =
    back === null || !back.isDone
      ? forth
      : computeFee(after.swapIn(!zeroForOne, back.sent).amountOut, back.paid);
  const fees = zeroForOne
    ? { zeroForOne: forth, oneForZero: again }
    : { zeroForOne: again, oneForZero: forth };
  return { kind: 'measured', fees };
}
