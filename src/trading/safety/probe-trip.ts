// Finds a path from the native coin to a pool, for simulating a round trip through it.

import { pow10 } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { findBestRoute } from '../routing/route.ts';
import type { AcceptEdge } from '../routing/route-field.ts';
import type { RouteHop } from '../routing/route-swaps.ts';

/** One swap of the way. */
interface TripHop {
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
}

interface Trip {
  readonly hops: readonly TripHop[];
  /** In the native coin. */
  readonly amountIn: bigint;
  /** The most of it that the pools take for certain. */
  readonly amountInMax: bigint;
}

/** What is sent, in coins and parts of a coin. */
interface TripAmounts {
  /** A hundredth of a coin: little enough for any limit that a token may set. */
  readonly start: bigint;
  readonly min: bigint;
  readonly max: bigint;
}

function computeTripAmounts(coinDecimals: number): TripAmounts {
  const coin = pow10(coinDecimals);
  return { start: coin / pow10(2), min: coin / pow10(8), max: coin * 10n };
}

/** The least to buy, so that a tax of one basis point is visible in nine tenths of it. */
const UNITS_MIN = 12_000n;
/** How much more is bought at most, to see whether a token treats larger amounts otherwise. */
const LARGER_TIMES = [40n, 10n, 3n] as const;

/** The final output; null if a pool cannot take its input. */
function follow(hops: readonly TripHop[], amountIn: bigint): bigint | null {
  let amount = amountIn;
  for (const { pool, zeroForOne } of hops) {
    const swap = pool.curve.swapIn(zeroForOne, amount);
    if (!swap.isFilled || swap.amountOut === 0n) return null;
    amount = swap.amountOut;
  }
  return amount;
}

function pickAmount(hops: readonly TripHop[], { start, min, max }: TripAmounts): bigint | null {
  let amount = start;
  while (amount > min && follow(hops, amount) === null) amount /= 10n;
  while (amount < max && (follow(hops, amount) ?? 0n) < UNITS_MIN) {
    if (follow(hops, amount * 10n) === null) break;
    amount *= 10n;
  }
  return follow(hops, amount) === null ? null : amount;
}

function pickLargest(hops: readonly TripHop[], amountIn: bigint): bigint {
  const times = LARGER_TIMES.find((one) => follow(hops, amountIn * one) !== null) ?? 1n;
  return amountIn * times;
}

function toHops(hops: readonly RouteHop[]): TripHop[] {
  return hops.map(({ pool, zeroForOne }) => ({ pool, zeroForOne }));
}

/** The path to one side of the pool, ending with the pool; null if there is none. */
function findTrip(
  graph: PoolGraph,
  pool: GraphPool,
  side: {
    readonly zeroForOne: boolean;
    readonly accepts: AcceptEdge;
    readonly amounts: TripAmounts;
  },
): Trip | null {
  const native = graph.nativeAsset;
  const last = { pool, zeroForOne: side.zeroForOne };
  const start = graph.toAsset(side.zeroForOne ? pool.token0 : pool.token1);
  let way: TripHop[] = [];
  if (start !== native) {
    const request = { tokenIn: native, tokenOut: start, amountIn: side.amounts.start };
    const accepts: AcceptEdge = (one, zeroForOne) =>
      one.pool !== pool.pool && side.accepts(one, zeroForOne);
    const route = findBestRoute(graph, request, { isDivided: false, hopCountMax: 2, accepts });
    if (route === null) return null;
    way = toHops(route.legs[0]?.hops ?? []);
  }
  const hops = [...way, last];
  const amountIn = pickAmount(hops, side.amounts);
  if (amountIn === null) return null;
  return { hops, amountIn, amountInMax: pickLargest(hops, amountIn) };
}

interface TripRules {
  readonly trusted: ReadonlySet<Address>;
  /** Of the native coin. */
  readonly coinDecimals: number;
  /** Which pools may be used on the way. */
  readonly accepts: AcceptEdge;
}

/**
 * Pays with the better known of the pool's two assets, since the other is the one to be probed;
 * null if neither can be reached.
 */
export function planProbeTrip(graph: PoolGraph, pool: GraphPool, rules: TripRules): Trip | null {
  const rankToken = (token: Address): number => {
    const asset = graph.toAsset(token);
    if (asset === graph.nativeAsset) return Number.POSITIVE_INFINITY;
    const known = rules.trusted.has(asset) ? 1_000_000 : 0;
    return known + graph.neighbours(asset).size;
  };
  const amounts = computeTripAmounts(rules.coinDecimals);
  const isZeroFirst = rankToken(pool.token0) >= rankToken(pool.token1);
  for (const zeroForOne of [isZeroFirst, !isZeroFirst]) {
    // Every trip begins with the native coin, so it cannot be what is bought.
    const bought = graph.toAsset(zeroForOne ? pool.token1 : pool.token0);
    if (bought === graph.nativeAsset) continue;
    const trip = findTrip(graph, pool, { zeroForOne, accepts: rules.accepts, amounts });
    if (trip !== null) return trip;
  }
  return null;
}
