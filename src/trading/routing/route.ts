// The best way to turn an amount of one asset into another over every pool of the graph.

import type { Address } from '../../model/market-event.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { RouteBalance } from './route-balance.ts';
import { chooseFitting, chooseWorthwhile } from './route-choice.ts';
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
import { FREE, findBestSingle, type RouteCost } from './route-single.ts';
import type { CreateRoom } from './transaction-room.ts';

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
  /** What there is room for; without end unless told. */
  readonly createRoom?: CreateRoom;
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
/** A division that gains less than this part on the one before is the last. */
const GAIN_PART = 50_000n;
/** So many divisions that cannot be executed are followed by no better one. */
const FAILED_MAX = 3;
/** From one division to the next. */
const LEGS_KEPT_SHARE = 0.6;
/** From so few on one leg is taken away at a time. */
const LEGS_FEW = 6;
/** What is left where rounding takes next to nothing. */
const ABOUT_SHARE = 0.9999;
/** Where less than this is left the parts are worth dividing anew among the same legs. */
const UNEVEN_SHARE = 0.9997;
/** How often legs are left out because those before crossed too many ticks. */
const ROOM_ATTEMPT_COUNT_MAX = 3;
const TICKS_MORE = 1.05;
/** What a route costs is much from this part of what it pays on. */
const DEAR_SHARE = 2e-4;

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
    cost: done.reduce((sum, { hops }) => sum + cost(hops), 0n),
    exact: done.every(({ hops }) => hops.every(({ pool }) => pool.inexact === null)),
  };
}

function toNet({ amountOut, cost }: BestRoute): bigint {
  return amountOut - cost;
}

function isBetter(route: BestRoute, than: BestRoute | null): boolean {
  return than === null || toNet(route) > toNet(than);
}

/** Routes with their parts, most first, and what they are thought to pay. */
interface Division {
  readonly paths: readonly PathFlow[];
  readonly about: number;
}

/**
 * The best division, then the best with fewer and fewer pools: fewer legs lose less to rounding and
 * cost less, and pools divided anew may need fewer legs than were chosen before.
 */
function* toDivisions(field: RouteField, search: Search): Generator<Division> {
  const amountIn = Number(search.amountIn);
  for (let current = field; ; ) {
    const flow = new RouteFlow(current, search.hopCountMax);
    if (!flow.divide(amountIn)) return;
    const paths = toPathFlows(current, flow);
    if (paths.length < 2) return;
    const isFree = search.cost === FREE;
    const chosen = isFree ? paths : chooseWorthwhile(paths, amountIn, search.cost);
    yield { paths: chosen, about: isFree ? flow.amountOut : 0 };
    const kept = toFewer(paths, chosen) ?? keepLargest(paths, countFitting(paths, search, 0));
    if (kept === null) return;
    current = restrictField(current, kept);
  }
}

function toEdges(legs: readonly PathFlow[]): Set<RouteEdge> {
  return new Set(legs.flatMap(({ path }) => path));
}

/** The pools of the chosen legs, or null where those are all. */
function toFewer(
  paths: readonly PathFlow[],
  chosen: readonly PathFlow[],
): ReadonlySet<RouteEdge> | null {
  const kept = toEdges(chosen);
  return kept.size < toEdges(paths).size ? kept : null;
}

/** The pools of the largest legs, fewer than all have; null where that leaves no division. */
function keepLargest(
  paths: readonly PathFlow[],
  legCountMax: number,
): ReadonlySet<RouteEdge> | null {
  const fewer = Math.floor(paths.length * LEGS_KEPT_SHARE);
  let count = Math.min(legCountMax, paths.length > LEGS_FEW ? fewer : paths.length - 1);
  // Legs that share all of their pools with others would come again.
  for (; count > 1; count -= 1) {
    const kept = toFewer(paths, paths.slice(0, count));
    if (kept !== null) return kept;
  }
  return null;
}

interface Search {
  readonly amountIn: bigint;
  readonly hopCountMax: number;
  readonly legCountMax: number;
  readonly createRoom: CreateRoom | null;
  readonly cost: RouteCost;
}

/** How many of the legs there is room for, where so many ticks are crossed. */
function countFitting(
  legs: readonly { readonly path: readonly { readonly pool: GraphPool }[] }[],
  { legCountMax, createRoom }: Search,
  ticksCrossed: number,
): number {
  const most = Math.min(legs.length, legCountMax);
  if (createRoom === null) return most;
  const room = createRoom(ticksCrossed);
  const full = legs.findIndex(({ path }) => !room.take(path));
  return full < 0 ? most : Math.min(full, most);
}

function countTicks({ legs }: BestRoute): number {
  return legs.reduce(
    (sum, { hops }) => hops.reduce((ticks, hop) => ticks + hop.ticksCrossed, sum),
    0,
  );
}

/** Whether there was room for a route, now that its ticks are known. */
function isFitting(route: BestRoute, search: Search): boolean {
  const legs = route.legs.map(({ hops }) => ({ path: hops }));
  return countFitting(legs, search, countTicks(route)) === legs.length;
}

/** How many ticks are crossed shows only when all is executed, and may leave room for fewer. */
function executeFitting(paths: readonly PathFlow[], search: Search): BestRoute | null {
  const amountIn = Number(search.amountIn);
  let ticksCrossed = new RouteBalance(paths, amountIn).countTicks();
  for (let attempt = 0; attempt < ROOM_ATTEMPT_COUNT_MAX; attempt += 1) {
    const kept = chooseFitting(paths, amountIn, (legs) => countFitting(legs, search, ticksCrossed));
    const route = kept.length < 2 ? null : execute(toAmounts(search.amountIn, kept), search.cost);
    if (route === null || isFitting(route, search)) return route;
    ticksCrossed = Math.ceil(Math.max(ticksCrossed, countTicks(route)) * TICKS_MORE);
  }
  return null;
}

/** Executes a division, or as much of it as there is room for. */
function executeDivision({ paths, about }: Division, search: Search): BestRoute | null {
  const { amountIn, cost } = search;
  if (countFitting(paths, search, 0) < paths.length) return executeFitting(paths, search);
  let route = execute(toAmounts(amountIn, paths), cost);
  if (route === null || Number(route.amountOut) < about * UNEVEN_SHARE) {
    const balance = new RouteBalance(paths, Number(amountIn));
    balance.run();
    const balanced = execute(toAmounts(amountIn, balance.toPaths()), cost);
    if (balanced !== null && isBetter(balanced, route)) route = balanced;
  }
  return route === null || isFitting(route, search) ? route : executeFitting(paths, search);
}

/** The best division of routes of up to so many hops. */
function findDivided(field: RouteField, search: Search): BestRoute | null {
  let best: BestRoute | null = null;
  let previous: BestRoute | null = null;
  let failed = 0;
  for (const division of toDivisions(field, search)) {
    const route = executeDivision(division, search);
    if (route === null) {
      failed += 1;
      if (failed >= FAILED_MAX) break;
      continue;
    }
    if (isBetter(route, best)) best = route;
    // Once fewer pools are no better to speak of, still fewer are worse.
    if (previous !== null && toNet(route) - toNet(previous) <= route.amountOut / GAIN_PART) break;
    previous = route;
    // Nothing costs anything and rounding took next to nothing: fewer legs cannot be better.
    if (search.cost === FREE && Number(route.amountOut) > division.about * ABOUT_SHARE) break;
  }
  return best;
}

function findInField(field: RouteField, search: Search): BestRoute | null {
  const { amountIn, cost, hopCountMax } = search;
  const single = findBestSingle(field, search);
  let best = single && execute([{ path: single.path, amountIn }], cost);
  if (search.legCountMax < 2) return best;
  const isDear = best !== null && Number(best.cost) > Number(best.amountOut) * DEAR_SHARE;
  // Where hops cost much, shorter routes at worse prices may be better, which are not found among
  // the longer ones.
  const hopCounts = isDear ? [1, 2, 3].filter((count) => count < hopCountMax) : [];
  for (const count of [...hopCounts, hopCountMax]) {
    const divided = findDivided(field, { ...search, hopCountMax: count });
    if (divided !== null && isBetter(divided, best)) best = divided;
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
    createRoom: options.createRoom ?? null,
    cost: options.cost ?? FREE,
  });
}
