// How much a pool would pay for a token before its price has fallen by two per cent.
//
// This measures a pool by money that is really there near the price. A concentrated pool's virtual
// reserves would not do: a hundred dollars in a single tick look like two million.

import { toSqrtPriceX96 } from '../amm/concentrated/sqrt-price-at-tick.ts';
import type { MarketView } from '../chains/quote-rule.ts';
import type { PoolEntry } from './market-state.ts';

/** The square root of 0.98, in 1e-18. */
const BAND = 989_949_493_661_166_534n;
const ONE = 1_000_000_000_000_000_000n;
const X96 = 96n;

function toTickOrder(pool: PoolEntry): readonly number[] {
  if (pool.tickOrder === null) {
    if (pool.ticks === null) throw new Error(`ticks of ${pool.row.pool} were not loaded`);
    const ticks: number[] = [];
    for (const [tick, entry] of pool.ticks) {
      if (entry.row.liquidityGross > 0n) ticks.push(tick);
    }
    pool.tickOrder = ticks.sort((a, b) => a - b);
  }
  return pool.tickOrder;
}

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

interface Walk {
  readonly pool: PoolEntry;
  readonly order: readonly number[];
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
}

/** Token 1 paid out while the square-root price falls to the end of the band. */
function walkDown(walk: Walk): bigint {
  const end = (walk.sqrtPriceX96 * BAND) / ONE;
  let { sqrtPriceX96: at, liquidity } = walk;
  let paidX96 = 0n;
  for (let index = findAbove(walk.order, walk.tick) - 1; index >= 0; index -= 1) {
    const tick = walk.order[index] ?? 0;
    const next = toSqrtPriceX96(tick);
    if (next <= end) break;
    if (liquidity > 0n) paidX96 += liquidity * (at - next);
    liquidity -= walk.pool.ticks?.get(tick)?.row.liquidityNet ?? 0n;
    at = next;
  }
  if (liquidity > 0n) paidX96 += liquidity * (at - end);
  return paidX96 >> X96;
}

/** Token 0 paid out while the square-root price rises to the end of the band. */
function walkUp(walk: Walk): bigint {
  const end = (walk.sqrtPriceX96 * ONE) / BAND;
  let { sqrtPriceX96: at, liquidity } = walk;
  let paid = 0n;
  for (let index = findAbove(walk.order, walk.tick); index < walk.order.length; index += 1) {
    const tick = walk.order[index] ?? 0;
    const next = toSqrtPriceX96(tick);
    if (next >= end) break;
    if (liquidity > 0n) paid += ((liquidity << X96) * (next - at)) / (next * at);
    liquidity += walk.pool.ticks?.get(tick)?.row.liquidityNet ?? 0n;
    at = next;
  }
  if (liquidity > 0n) paid += ((liquidity << X96) * (end - at)) / (end * at);
  return paid;
}

/** In raw units of the view's quote asset; zero for a pool without a price. */
export function toDepthRaw(pool: PoolEntry, view: MarketView): bigint {
  const { reserve0, reserve1, sqrtPriceX96, liquidity, tick } = pool.row;
  if (reserve0 !== null && reserve1 !== null) {
    return ((view.baseIsToken0 ? reserve1 : reserve0) * (ONE - BAND)) / ONE;
  }
  if (sqrtPriceX96 === null || sqrtPriceX96 === 0n || tick === null) return 0n;
  const walk: Walk = {
    pool,
    // Of an incomplete pool the ticks are unknown; its active liquidity stands for the band.
    order: pool.row.complete ? toTickOrder(pool) : [],
    sqrtPriceX96,
    tick,
    liquidity: liquidity ?? 0n,
  };
  return view.baseIsToken0 ? walkDown(walk) : walkUp(walk);
}
