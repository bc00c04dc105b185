// Builds a concentrated pool's whole state from its contract's price and all of its ticks.

import { toSqrtPriceX96 } from './sqrt-price-at-tick.ts';
import { computeAmount0Down, computeAmount1Down } from './sqrt-price-math.ts';

interface Price {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
}

interface TickLiquidity {
  readonly tick: number;
  readonly liquidityGross: bigint;
  readonly liquidityNet: bigint;
}

/** The liquidity at a tick, summed from the ticks up to it; null if the ticks are inconsistent. */
export function addUpLiquidity(ticks: readonly TickLiquidity[], tick: number): bigint | null {
  let [sum, active] = [0n, 0n];
  for (const { tick: at, liquidityGross, liquidityNet } of ticks) {
    const size = liquidityNet < 0n ? -liquidityNet : liquidityNet;
    if (liquidityGross < size) return null;
    sum += liquidityNet;
    if (at <= tick) active += liquidityNet;
    if (sum < 0n) return null;
  }
  // All net changes add up to zero, unless a tick is missing.
  return sum === 0n ? active : null;
}

/** What the positions hold at the pool's price, to a unit for each stretch between two ticks. */
function addUpAmounts(
  ticks: readonly TickLiquidity[],
  { sqrtPriceX96 }: Price,
): { readonly amount0: bigint; readonly amount1: bigint } {
  let [amount0, amount1, liquidity] = [0n, 0n, 0n];
  let from = 0n;
  for (const { tick, liquidityNet } of ticks) {
    const to = toSqrtPriceX96(tick);
    if (liquidity > 0n) {
      const below = to < sqrtPriceX96 ? to : sqrtPriceX96;
      const above = from > sqrtPriceX96 ? from : sqrtPriceX96;
      if (from < below) amount1 += computeAmount1Down(liquidity, from, below);
      if (above < to) amount0 += computeAmount0Down(liquidity, above, to);
    }
    liquidity += liquidityNet;
    from = to;
  }
  return { amount0, amount1 };
}

/** Null if the parts contradict each other, because something is missing or wrong. */
export function assembleState<Fields extends Price & { readonly liquidity: bigint }>(
  fields: Fields,
  ticks: readonly TickLiquidity[],
): (Fields & { readonly amount0: bigint; readonly amount1: bigint }) | null {
  const ordered = [...ticks].sort((a, b) => a.tick - b.tick);
  if (addUpLiquidity(ordered, fields.tick) !== fields.liquidity) return null;
  return { ...fields, ...addUpAmounts(ordered, fields) };
}
