// The best way to turn an amount of one asset into another over every pool of the graph.

import type { Address } from '../../model/market-event.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import {
  type AcceptEdge,
  createField,
  type RouteEdge,
  type RouteField,
  restrictField,
} from './route-field.ts';
import { RouteFlow } from './route-flow.ts';
import { type PathFlow, toPathFlows } from './route-legs.ts';
import { type PathAmount, type RouteLeg, simulateLegs } from './route-simulate.ts';
import { findBestSingle, type RouteCost } from './route-single.ts';

export interface RouteRequest {
  /** Native and wrapped coin are one asset where the graph says so. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
}

export interface RouteOptions {
  /** Pools that cannot be promised to the unit may be used, too; by default they are not. */
  readonly withInexact?: boolean;
  readonly hopCountMax?: 1 | 2 | 3;
  /** How many routes the input may be divided among. */
  readonly legCountMax?: number;
  /** What a route costs beside the input, in units of the output: dust splits then do not pay. */
  readonly cost?: RouteCost;
  /** The size up to which the search is exhaustive. */
  readonly poolCountMax?: number;
  /** Pools that may not be swapped in, or in one direction only, are left out. */
  readonly accepts?: AcceptEdge;
}

export interface BestRoute {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** To be executed in this order: pools that two legs share have moved for the second. */
  readonly legs: readonly RouteLeg[];
  /** The sum of what `cost` said of each leg. */
  readonly cost: bigint;
  /** Whether every pool on the way can be promised to the unit. */
  readonly exact: boolean;
}

const POOL_COUNT_MAX = 256;
/** From one division to the next. */
const LEGS_KEPT_SHARE = 0.6;
/** From so few on one leg is taken away at a time. */
const LEGS_FEW = 6;
/** What is left where rounding takes next to nothing. */
const ABOUT_SHARE = 0.9999;
const FREE: RouteCost = () => 0n;

/** Parts are cut off at this many bits of the whole, and the first leg takes what is left over. */
const SHARE_BITS = 50;

function toAmounts(amountIn: bigint, flows: readonly PathFlow[]): PathAmount[] {
  const total = flows.reduce((sum, { flow }) => sum + flow, 0);
  const parts = flows.map(({ path, flow }) => {
    const share = BigInt(Math.floor((flow / total) * 2 ** SHARE_BITS));
    return { path, amountIn: (amountIn * share) >> BigInt(SHARE_BITS) };
  });
  const given = parts.reduce((sum, part) => sum + part.amountIn, 0n);
  return parts
    .map((part, index) =>
      index === 0 ? { ...part, amountIn: part.amountIn + amountIn - given } : part,
    )
    .filter((part) => part.amountIn > 0n);
}

/** Executes a division; null where it cannot be. */
function execute(legs: readonly PathAmount[], cost: RouteCost): BestRoute | null {
  const done = simulateLegs(legs);
  if (done === null) return null;
  return {
    amountIn: done.reduce((sum, leg) => sum + leg.amountIn, 0n),
    amountOut: done.reduce((sum, leg) => sum + leg.amountOut, 0n),
    legs: done,
    cost: legs.reduce((sum, { path }) => sum + cost(path), 0n),
    exact: done.every(({ hops }) => hops.every(({ pool }) => pool.inexact === null)),
  };
}

function isBetter(route: BestRoute, than: BestRoute | null): boolean {
  return than === null || route.amountOut - route.cost > than.amountOut - than.cost;
}

/** Routes with their parts, and what they are thought to pay. */
interface Division {
  readonly paths: readonly PathFlow[];
  readonly about: number;
}

/**
 * The best division, then the best with fewer and fewer legs: they lose less to rounding and cost
 * less. Each time the pools of the smallest legs are left out and the input is divided anew.
 */
function* toDivisions(field: RouteField, options: Search): Generator<Division> {
  const { legCountMax, hopCountMax } = options;
  for (let current = field; ; ) {
    const flow = new RouteFlow(current, hopCountMax);
    if (!flow.divide(Number(options.amountIn))) return;
    const paths = toPathFlows(current, flow);
    // A few legs too many are simply left out; more of them need dividing anew first.
    if (paths.length <= legCountMax * 1.2) {
      yield { paths: paths.slice(0, legCountMax), about: flow.amountOut };
    }
    const kept = keepLargest(paths, legCountMax);
    if (kept === null) return;
    current = restrictField(current, kept);
  }
}

/** The pools of the largest legs, fewer than all have; null where that leaves no division. */
function keepLargest(
  paths: readonly PathFlow[],
  legCountMax: number,
): ReadonlySet<RouteEdge> | null {
  const toEdges = (legs: readonly PathFlow[]) => new Set(legs.flatMap(({ path }) => path));
  const all = toEdges(paths);
  const fewer = Math.floor(paths.length * LEGS_KEPT_SHARE);
  let count = Math.min(legCountMax, paths.length > LEGS_FEW ? fewer : paths.length - 1);
  // Legs that share all of their pools with others would come again.
  for (; count > 1; count -= 1) {
    const kept = toEdges(paths.slice(0, count));
    if (kept.size < all.size) return kept;
  }
  return null;
}

interface Search {
  readonly amountIn: bigint;
  readonly hopCountMax: number;
  readonly legCountMax: number;
  readonly cost: RouteCost;
}

function findInField(field: RouteField, options: Search): BestRoute | null {
  const { amountIn, cost } = options;
  const single = findBestSingle(field, options);
  let best = single && execute([{ path: single.path, amountIn }], cost);
  if (options.legCountMax < 2) return best;
  let previous: BestRoute | null = null;
  for (const division of toDivisions(field, options)) {
    if (division.paths.length < 2) break;
    const route = execute(toAmounts(amountIn, division.paths), cost);
    if (route === null) continue;
    if (isBetter(route, best)) best = route;
    // Once fewer legs are worse, still fewer are worse still.
    if (previous !== null && !isBetter(route, previous)) break;
    previous = route;
    // Nothing costs anything and rounding took next to nothing: fewer legs cannot be better.
    if (route.cost === 0n && Number(route.amountOut) > division.about * ABOUT_SHARE) break;
  }
  return best;
}

/** Null where no route can take the whole input. */
export function findBestRoute(
  graph: PoolGraph,
  request: RouteRequest,
  options: RouteOptions = {},
): BestRoute | null {
  const assetIn = graph.toAsset(request.tokenIn);
  const assetOut = graph.toAsset(request.tokenOut);
  if (assetIn === assetOut) throw new RangeError('a route needs two assets');
  if (request.amountIn <= 0n) throw new RangeError(`no route for ${request.amountIn}`);
  const hopCountMax = options.hopCountMax ?? 3;
  const field = createField(graph, {
    assetIn,
    assetOut,
    withInexact: options.withInexact ?? false,
    hopCountMax,
    poolCountMax: options.poolCountMax ?? POOL_COUNT_MAX,
    accepts: options.accepts,
  });
  return findInField(field, {
    amountIn: request.amountIn,
    hopCountMax,
    legCountMax: options.legCountMax ?? POOL_COUNT_MAX,
    cost: options.cost ?? FREE,
  });
}
