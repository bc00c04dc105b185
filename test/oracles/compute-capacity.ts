// How much pools can certainly take: over routes of one and two hops, each asset separately.

import type { GraphPool } from '../../src/trading/graph/pool-graph-pool.ts';
import { findCurve, mergeCurves } from '../../src/trading/routing/route-curve.ts';

interface Ends {
  readonly from: string;
  readonly to: string;
}

/** More than any real amount, and less than what a V2 pair rejects. */
const MUCH = 1n << 110n;

/** The maximum input of a pool in one direction, and its output. */
function swapAll(pool: GraphPool, zeroForOne: boolean): { in: number; out: number } {
  const { amountIn, amountOut } = pool.curve.swapIn(zeroForOne, MUCH);
  return { in: Number(amountIn), out: Number(amountOut) };
}

/** The input for at most this output. */
function computeTaken(pools: readonly GraphPool[], from: string, outMax: number): number {
  const fulls = pools.map((pool) => swapAll(pool, pool.token0 === from));
  const out = fulls.reduce((sum, full) => sum + full.out, 0);
  if (out <= outMax) return fulls.reduce((sum, full) => sum + full.in, 0);
  return mergeCurves(pools.map((pool) => findCurve(pool.curve, pool.token0 === from))).computeInFor(
    outMax,
  );
}

/** An input up to this can be spent completely, except for rounding. */
export function computeCapacity(pools: readonly GraphPool[], { from, to }: Ends): number {
  const between = (a: string, b: string) =>
    pools.filter(({ token0, token1 }) => {
      return (token0 === a && token1 === b) || (token0 === b && token1 === a);
    });
  const assets = new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]));
  let sum = computeTaken(between(from, to), from, Number.POSITIVE_INFINITY);
  for (const asset of assets) {
    const lasts = asset === from || asset === to ? [] : between(asset, to);
    if (lasts.length === 0) continue;
    const outMax = computeTaken(lasts, asset, Number.POSITIVE_INFINITY);
    sum += computeTaken(between(from, asset), from, outMax);
  }
  return sum;
}
