// A route for a given output whose router is told what to spend: more than is needed now, so that
// it still pays enough if prices move. The wallet receives all that it buys.

import { minOf } from '../../lib/bigint-bounds.ts';
import type { TaxedRoute } from './find-trade-route.ts';
import { type RouteHop, swapWhole } from './route-swaps.ts';

const BPS = 10_000n;

/** The part of a reserve that fits is found to a thousandth of it. */
const STEPS = 10;

interface SpendRange {
  readonly needed: bigint;
  readonly wanted: bigint;
}

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

/** The most that fits, up to what is wanted; null if hardly more than is needed does. */
function swapMost(hops: readonly RouteHop[], { needed, wanted }: SpendRange) {
  const all = swapThrough(hops, wanted);
  if (all !== null) return { amountIn: wanted, hops: all };
  let most: { readonly amountIn: bigint; readonly hops: readonly RouteHop[] } | null = null;
  let [low, high] = [needed, wanted];
  for (let step = 0; step < STEPS; step += 1) {
    const amountIn = (low + high) / 2n;
    const swapped = amountIn > low ? swapThrough(hops, amountIn) : null;
    if (swapped === null) high = amountIn;
    else {
      low = amountIn;
      most = { amountIn, hops: swapped };
    }
  }
  return most;
}

/** The same route with the reserve, or with as much of it as its pools can take. */
export function spendReserve(found: TaxedRoute, bound: SpendBound): TaxedRoute {
  const [swapPath, ...others] = found.route.swapPaths;
  if (swapPath === undefined || others.length > 0) throw new Error('an input is spent on one path');
  const needed = swapPath.amountIn;
  const most = swapMost(swapPath.hops, { needed, wanted: computeSpent(needed, bound) });
  if (most === null) return found;
  const { amountIn, hops } = most;
  const amountOut = hops.at(-1)?.amountOut ?? 0n;
  const amounts = { amountIn, amountOut };
  const swapPaths = [{ ...swapPath, ...amounts, hops }];
  const route = { ...found.route, ...amounts, swapPaths, legs: [{ ...amounts, hops }] };
  return { ...found, route, amountOut };
}
