// How much a concentrated pool pays for a token before its price has fallen by two per cent.
//
// This measures a pool by the money that is really near its price. Virtual reserves would mislead:
// a hundred dollars in a single tick look like two million.

import type { PoolTicks } from '../pool-kind.ts';
import { toSqrtPriceX96 } from './sqrt-price-at-tick.ts';

/** The square root of 0.98, in 1e-18. */
const BAND = 989_949_493_661_166_534n;
const ONE = 1_000_000_000_000_000_000n;
const X96 = 96n;

/** The index of the first tick above `tick`. */
function findAbove(order: readonly number[], tick: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((order[middle] ?? 0) > tick) high = middle;
    else low = middle + 1;
  }
  return low;
}

interface BandWalk {
  /** Null if the ticks are unknown: the active liquidity is then used for the whole band. */
  readonly ticks: PoolTicks | null;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
}

/** Token 1 paid out while the square-root price falls to the end of the band. */
export function walkDown({ ticks, ...walk }: BandWalk): bigint {
  const end = (walk.sqrtPriceX96 * BAND) / ONE;
  const order = ticks?.order ?? [];
  let { sqrtPriceX96: at, liquidity } = walk;
  let paidX96 = 0n;
  for (let index = findAbove(order, walk.tick) - 1; index >= 0; index -= 1) {
    const tick = order[index] ?? 0;
    const next = toSqrtPriceX96(tick);
    if (next <= end) break;
    if (liquidity > 0n) paidX96 += liquidity * (at - next);
    liquidity -= ticks?.get(tick)?.liquidityNet ?? 0n;
    at = next;
  }
  if (liquidity > 0n) paidX96 += liquidity * (at - end);
  return paidX96 >> X96;
}

/** Token 0 paid out while the square-root price rises to the end of the band. */
export function walkUp({ ticks, ...walk }: BandWalk): bigint {
  const end = (walk.sqrtPriceX96 * ONE) / BAND;
  const order = ticks?.order ?? [];
  let { sqrtPriceX96: at, liquidity } = walk;
  let paid = 0n;
  for (let index = findAbove(order, walk.tick); index < order.length; index += 1) {
    const tick = order[index] ?? 0;
    const next = toSqrtPriceX96(tick);
    if (next >= end) break;
    if (liquidity > 0n) paid += ((liquidity << X96) * (next - at)) / (next * at);
    liquidity += ticks?.get(tick)?.liquidityNet ?? 0n;
    at = next;
  }
  if (liquidity > 0n) paid += ((liquidity << X96) * (end - at)) / (end * at);
  return paid;
}
