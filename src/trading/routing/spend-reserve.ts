// A route for a given output whose router is told what to spend: more than is needed now, so that
// it still pays enough if prices move. The wallet receives all that it buys.

import { minOf } from '../../lib/bigint-bounds.ts';
import type { TaxedRoute } from './find-trade-route.ts';
import { type RouteHop, swapWhole } from './route-swaps.ts';

const BPS = 10_000n;

interface SpendBound {
  readonly slippageBps: number;
  /** What a quote has promised at most; absent if there is none. */
  readonly amountInMax?: bigint | undefined;
}

/** What is spent: never less than is needed, and no more than was promised if that is enough. */
function computeSpent(needed: bigint, { slippageBps, amountInMax }: SpendBound): bigint {
  const wanted = (needed * (BPS + BigInt(slippageBps))) / BPS;
  return amountInMax === undefined || amountInMax < needed ? wanted : minOf(wanted, amountInMax);
}

/** Null if a pool cannot take all that the one before pays. */
function swapThrough(hops: readonly RouteHop[], amountIn: bigint): RouteHop[] | null {
  const swapped: RouteHop[] = [];
  for (const hop of hops) {
    const next = swapWhole(hop, swapped.at(-1)?.amountOut ?? amountIn);
    if (next === null) return null;
    swapped.push(next);
  }
  return swapped;
}

/** The same route with the reserve; as it is if its pools cannot take more. */
export function spendReserve(found: TaxedRoute, bound: SpendBound): TaxedRoute {
  const [strand, ...others] = found.route.strands;
  if (strand === undefined || others.length > 0) throw new Error('an input is spent on one path');
  const amountIn = computeSpent(strand.amountIn, bound);
  const hops = swapThrough(strand.hops, amountIn);
  if (hops === null) return found;
  const amountOut = hops.at(-1)?.amountOut ?? 0n;
  const amounts = { amountIn, amountOut };
  const strands = [{ ...strand, ...amounts, hops }];
  const route = { ...found.route, ...amounts, strands, legs: [{ ...amounts, hops }] };
  return { ...found, route, amountOut };
}
