// Messages between the main thread and a search thread.
//
// Pools are sent once and then named by number: they are immutable, so a number means the same pool
// in the same state while both sides keep it.

import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { NativeCoin } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { NoRouteReason } from '../routing/explain-no-route.ts';
import type { TaxedRoute, TradeSearch } from '../routing/find-trade-route.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteHop } from '../routing/route-swaps.ts';
import type { EndTaxes, GivenAmount, PlanLevel, PlannedRouter } from '../routing/trade-plan.ts';

// A route as it is sent from a search thread: in columns, with each hop once. Sent as objects, V8
// would copy and look up every field name for each of a hundred legs.

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

/** Swap paths or legs. */
interface SentParts {
  readonly amountsIn: readonly bigint[];
  readonly amountsOut: readonly bigint[];
  /** The places of all their hops, those of the first one first. */
  readonly hops: Uint32Array;
  readonly hopCounts: Uint8Array;
}

export interface SentRoute extends Omit<BestRoute, 'swapPaths' | 'legs'> {
  readonly hops: SentHops;
  readonly swapPaths: SentParts;
  readonly takes: readonly BestRoute['swapPaths'][number]['takes'][];
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

function sendRoute(
  { swapPaths, legs, ...rest }: BestRoute,
  findNumber: (pool: GraphPool) => number,
): SentRoute {
  const list = new HopList();
  const parts = { swapPaths: sendParts(swapPaths, list), legs: sendParts(legs, list) };
  const takes = swapPaths.map((swapPath) => swapPath.takes);
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

function receiveRoute(
  { hops: sentHops, swapPaths, takes, legs, ...rest }: SentRoute,
  findPool: (number: number) => GraphPool,
): BestRoute {
  const hops = receiveHops(sentHops, findPool);
  return {
    ...rest,
    swapPaths: receiveParts(swapPaths, hops).map(
      (swapPath, index): Required<BestRoute['swapPaths'][number]> => ({
        takes: readAt(takes, index),
        ...swapPath,
      }),
    ),
    legs: receiveParts(legs, hops),
  };
}

/** The ticks of pools, which outlive most states of a pool. */
export interface SentTicks {
  readonly number: number;
  readonly ticks: Int32Array;
  readonly nets: readonly bigint[];
}

export type SentPool = Omit<GraphPool, 'curve'> & {
  readonly number: number;
  readonly plainCurve: object;
  /** The number of its ticks; null if it has none. */
  readonly table: number | null;
};

/** The pools of a field in order, by number, each with its allowed directions. */
export interface SentField {
  readonly numbers: Uint32Array;
  readonly ways: Uint8Array;
}

export interface SentTaxPlan extends SentField {
  readonly taxes: EndTaxes;
  readonly router: PlannedRouter | null;
}

export interface SentPlan {
  readonly size: GivenAmount;
  readonly outPerUnit: Ratio | null;
  readonly costs: TransactionCosts;
  readonly assetIn: Address;
  readonly assetOut: Address;
  readonly native: NativeCoin;
  readonly levels: Readonly<Record<PlanLevel, readonly SentTaxPlan[]>>;
  readonly refusal: {
    readonly all: SentField;
    readonly ofRouters: readonly SentField[] | null;
    readonly isTaxRefused: boolean;
  };
}

export type SearchCommand =
  | {
      readonly kind: 'pools';
      readonly ticks: readonly SentTicks[];
      readonly pools: readonly SentPool[];
    }
  /** All pools and ticks that were sent are dropped. */
  | { readonly kind: 'clear' }
  | { readonly kind: 'search'; readonly job: number; readonly plan: SentPlan };

type SentSearch =
  | { readonly kind: 'found'; readonly found: Omit<TaxedRoute, 'route'> & { route: SentRoute } }
  | { readonly kind: 'none'; readonly reason: NoRouteReason };

export interface SearchMessage {
  readonly job: number;
  /** In evaluations. */
  readonly work: number;
  readonly search: SentSearch;
}

export function sendSearch(
  search: TradeSearch,
  findNumber: (pool: GraphPool) => number,
): SentSearch {
  if (search.kind === 'none') return search;
  const { route, ...found } = search.found;
  return { kind: 'found', found: { ...found, route: sendRoute(route, findNumber) } };
}

export function receiveSearch(
  sent: SentSearch,
  findPool: (number: number) => GraphPool,
): TradeSearch {
  if (sent.kind === 'none') return sent;
  const { route, ...found } = sent.found;
  return { kind: 'found', found: { ...found, route: receiveRoute(route, findPool) } };
}
