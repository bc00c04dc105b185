// A route as it is sent from a search thread: in columns, with each hop once. Sent as objects, V8
// would copy and look up every field name for each of a hundred legs.

import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteHop } from '../routing/route-swaps.ts';

interface SentHops {
  /** The pools, by number. */
  readonly pools: Uint32Array;
  readonly zeroForOne: Uint8Array;
  readonly ticksCrossed: Uint32Array;
  readonly amountsIn: readonly bigint[];
  readonly amountsOut: readonly bigint[];
  readonly feeAmounts: readonly bigint[];
  /** Null if no pool is asked for an amount. */
  readonly askedOuts: readonly (bigint | undefined)[] | null;
}

/** Strands or legs. */
interface SentParts {
  readonly amountsIn: readonly bigint[];
  readonly amountsOut: readonly bigint[];
  /** The places of all their hops, those of the first one first. */
  readonly hops: Uint32Array;
  readonly hopCounts: Uint8Array;
}

export interface SentRoute extends Omit<BestRoute, 'strands' | 'legs'> {
  readonly hops: SentHops;
  readonly strands: SentParts;
  readonly takes: readonly BestRoute['strands'][number]['takes'][];
  readonly legs: SentParts;
}

type RoutePart = BestRoute['legs'][number];

/** Each hop of a route once, in the order in which they were first seen. */
class HopList {
  readonly #places = new Map<RouteHop, number>();

  findPlace(hop: RouteHop): number {
    const known = this.#places.get(hop);
    if (known !== undefined) return known;
    this.#places.set(hop, this.#places.size);
    return this.#places.size - 1;
  }

  list(): RouteHop[] {
    return [...this.#places.keys()];
  }
}

function sendParts(parts: readonly RoutePart[], list: HopList): SentParts {
  return {
    amountsIn: parts.map(({ amountIn }) => amountIn),
    amountsOut: parts.map(({ amountOut }) => amountOut),
    hops: Uint32Array.from(parts.flatMap(({ hops }) => hops.map((hop) => list.findPlace(hop)))),
    hopCounts: Uint8Array.from(parts, ({ hops }) => hops.length),
  };
}

function sendHops(hops: readonly RouteHop[], findNumber: (pool: GraphPool) => number): SentHops {
  const isAsked = hops.some(({ askedOut }) => askedOut !== undefined);
  return {
    pools: Uint32Array.from(hops, ({ pool }) => findNumber(pool)),
    zeroForOne: Uint8Array.from(hops, ({ zeroForOne }) => Number(zeroForOne)),
    ticksCrossed: Uint32Array.from(hops, ({ ticksCrossed }) => ticksCrossed),
    amountsIn: hops.map(({ amountIn }) => amountIn),
    amountsOut: hops.map(({ amountOut }) => amountOut),
    feeAmounts: hops.map(({ feeAmount }) => feeAmount),
    askedOuts: isAsked ? hops.map(({ askedOut }) => askedOut) : null,
  };
}

export function sendRoute(
  { strands, legs, ...rest }: BestRoute,
  findNumber: (pool: GraphPool) => number,
): SentRoute {
  const list = new HopList();
  const parts = { strands: sendParts(strands, list), legs: sendParts(legs, list) };
  const takes = strands.map((strand) => strand.takes);
  return { ...rest, ...parts, takes, hops: sendHops(list.list(), findNumber) };
}

/** Throws if nothing was sent for a place: a thread that does that is replaced. */
function readAt<T>(column: ArrayLike<T>, place: number): T {
  const value = column[place];
  if (value === undefined) throw new Error(`a route was sent incomplete, at ${place}`);
  return value;
}

function receiveHops(sent: SentHops, findPool: (number: number) => GraphPool): RouteHop[] {
  return Array.from(sent.pools, (number, place): RouteHop => {
    const pool = findPool(number);
    const zeroForOne = readAt(sent.zeroForOne, place) === 1;
    const askedOut = sent.askedOuts?.[place];
    // Required, so that a field that is not sent does not compile.
    const hop: Required<Omit<RouteHop, 'askedOut'>> = {
      pool,
      zeroForOne,
      tokenIn: zeroForOne ? pool.token0 : pool.token1,
      tokenOut: zeroForOne ? pool.token1 : pool.token0,
      amountIn: readAt(sent.amountsIn, place),
      amountOut: readAt(sent.amountsOut, place),
      feeAmount: readAt(sent.feeAmounts, place),
      ticksCrossed: readAt(sent.ticksCrossed, place),
    };
    return askedOut === undefined ? hop : { ...hop, askedOut };
  });
}

function receiveParts(sent: SentParts, hops: readonly RouteHop[]): RoutePart[] {
  let next = 0;
  return Array.from(sent.hopCounts, (count, index): Required<RoutePart> => {
    const places = sent.hops.subarray(next, next + count);
    if (places.length < count) throw new Error(`a route was sent incomplete, at ${next}`);
    next += count;
    return {
      amountIn: readAt(sent.amountsIn, index),
      amountOut: readAt(sent.amountsOut, index),
      hops: Array.from(places, (place) => readAt(hops, place)),
    };
  });
}

export function receiveRoute(
  { hops: sentHops, strands, takes, legs, ...rest }: SentRoute,
  findPool: (number: number) => GraphPool,
): BestRoute {
  const hops = receiveHops(sentHops, findPool);
  return {
    ...rest,
    strands: receiveParts(strands, hops).map(
      (strand, index): Required<BestRoute['strands'][number]> => ({
        takes: readAt(takes, index),
        ...strand,
      }),
    ),
    legs: receiveParts(legs, hops),
  };
}
