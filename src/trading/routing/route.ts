// Finds the best way to turn an amount of one asset into another over all pools of the graph.

import type { Address } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import { keepReserve, reserveLegs } from './keep-reserve.ts';
import { mayTake } from './route-capacity.ts';
import { dropLeast, dropLossy } from './route-choice.ts';
import { divide, type RouteSearch } from './route-division.ts';
import { executePath, executeShares } from './route-execute.ts';
import {
  type AcceptEdge,
  createField,
  type FieldPlan,
  FieldPools,
  HOP_COUNT_MAX,
  NODE_OUT,
  type RouteField,
} from './route-field.ts';
import { buildLegs, type RouteLeg } from './route-legs.ts';
import { freeRoom } from './route-savings.ts';
import { FREE, findBestSingle, type RouteCost } from './route-single.ts';
import { buildStrands, type RouteStrand } from './route-strands.ts';
import type { PoolSwap } from './route-swaps.ts';
import { POOL_EVALUATIONS, SearchWork } from './search-work.ts';
import type { RouteRoom } from './transaction-room.ts';

interface RouteRequest {
  /** Native and wrapped coin are one asset if the graph has a wrapped coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
}

export interface RouteOptions {
  /** Whether pools whose hook can change what they pay may be used; false by default. */
  readonly withHooked?: boolean;
  readonly hopCountMax?: 1 | 2 | 3;
  /** Whether the input may be split among several routes; true by default. */
  readonly isDivided?: boolean;
  /** The room of a transaction; unlimited by default. */
  readonly room?: RouteRoom;
  /**
   * The cost of pools besides the input, in units of the output, so that dust splits do not pay.
   */
  readonly cost?: RouteCost;
  /** Spread over the hops where every swap is told what to spend; 0 by default. */
  readonly slippageBps?: number;
  /** The number of pools up to which the search is exhaustive. */
  readonly poolCountMax?: number;
  /** Excludes pools, or one of their directions. */
  readonly accepts?: AcceptEdge;
  /** Counts and limits the work of the search. */
  readonly work?: SearchWork;
}

export interface BestRoute {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** In execution order; each pool is in one of them. */
  readonly strands: readonly RouteStrand[];
  /** The same as routes, the largest first: for a shared pool each route has its part. */
  readonly legs: readonly RouteLeg[];
  /** The total `cost` of the strands. */
  readonly cost: bigint;
  /** What more it would pay if no token in between were kept in reserve; 0 if absent. */
  readonly keptBack?: bigint;
  /** Whether every pool on the route can be promised to the unit. */
  readonly exact: boolean;
}

/** Give up after this many splits in a row that fail or do not improve the result. */
const FAILED_MAX = 6;
const VAIN_MAX = 2;
/** The share of the pools to drop at a time if rounding loses too much. */
const DROPPED_OF_DUST_SHARE = 0.4;
/** Above this share of the estimate, rounding loses almost nothing. */
const ABOUT_SHARE = 0.9999;
/** A route's cost is high from this share of its output on. */
const DEAR_SHARE = 2e-4;
/** Its use of the room is high from this share on. */
const ROOMY_SHARE = 0.05;

/** Swaps that were executed exactly. */
interface RouteCandidate {
  readonly swaps: readonly PoolSwap[];
  readonly strands: readonly RouteStrand[];
  readonly legs: readonly RouteLeg[];
  readonly amountOut: bigint;
  readonly keptBack: bigint;
  readonly cost: bigint;
}

function sumOutput(swaps: readonly PoolSwap[]): bigint {
  const last = swaps.filter(({ edge }) => edge.to === NODE_OUT);
  return last.reduce((sum, { hop }) => sum + hop.amountOut, 0n);
}

/** Null if the amounts are too small to be shown as routes. */
function buildCandidate(
  whole: readonly PoolSwap[],
  { cost, slippageBps, work }: RouteSearch,
): RouteCandidate | null {
  work.add(whole.length * POOL_EVALUATIONS);
  const swaps = slippageBps === 0 ? whole : keepReserve(whole, slippageBps);
  if (swaps === null) return null;
  const strands = buildStrands(swaps);
  const parts = buildLegs(whole);
  if (parts === null) return null;
  const legs = swaps === whole ? parts : reserveLegs(parts, { whole, reserved: swaps });
  const amountOut = sumOutput(swaps);
  return {
    ...{ swaps, strands, legs, amountOut, keptBack: sumOutput(whole) - amountOut },
    cost: strands.reduce((sum, { hops }) => sum + cost(hops), 0n),
  };
}

function isBetter(one: RouteCandidate, than: RouteCandidate | null): boolean {
  return than === null || one.amountOut - one.cost > than.amountOut - than.cost;
}

function buildBestRoute(candidate: RouteCandidate, amountIn: bigint): BestRoute {
  const { swaps, strands, legs, amountOut, keptBack, cost } = candidate;
  const exact = swaps.every(({ hop }) => hop.pool.inexact === null);
  const kept = keptBack > 0n ? { keptBack } : {};
  return { amountIn, amountOut, strands, legs, cost, ...kept, exact };
}

/** The best split among routes of up to this many hops. */
function findDivided(field: RouteField, search: RouteSearch): RouteCandidate | null {
  const whole = divide(field, search);
  let division = whole && dropLossy(whole, search);
  let best: RouteCandidate | null = null;
  let [failed, vain] = [0, 0];
  while (division !== null && failed < FAILED_MAX && vain < VAIN_MAX) {
    const swaps = executeShares(division.parts, search.amountIn, search.work);
    const candidate = swaps && buildCandidate(swaps, search);
    if (candidate === null) {
      failed += 1;
      if (search.work.isSpent) break;
      division = dropLeast(division, DROPPED_OF_DUST_SHARE, search);
      continue;
    }
    const used = search.room?.computeUsed(candidate.strands) ?? 0;
    if (used > 1) {
      if (search.work.isSpent) break;
      division = freeRoom(division, used - 1, search);
      continue;
    }
    if (isBetter(candidate, best)) best = candidate;
    else vain += 1;
    // Fewer pools lose less to rounding.
    const paid = Number(candidate.amountOut + candidate.keptBack);
    const isRounded = paid < division.amountOut * ABOUT_SHARE;
    const isDone = !isRounded || search.work.isSpent;
    division = isDone ? null : dropLeast(division, DROPPED_OF_DUST_SHARE, search);
  }
  return best;
}

/** Whether a route's cost is high for its output, or its use of the room is high. */
function isMuch({ cost, amountOut, strands }: RouteCandidate, { room }: RouteSearch): boolean {
  const roomShare = room?.computeUsed(strands) ?? 0;
  return Number(cost) > Number(amountOut) * DEAR_SHARE || roomShare > ROOMY_SHARE;
}

/** The best route that is not divided. */
function findSingle(field: RouteField, search: RouteSearch): RouteCandidate | null {
  const single = findBestSingle(field, { ...search, hasBytesFor: search.room?.hasBytesFor });
  const swaps = single && executePath(single.path, search.amountIn);
  return swaps && buildCandidate(swaps, search);
}

function findInField(field: RouteField, search: RouteSearch): BestRoute | null {
  const { amountIn, hopCountMax, slippageBps } = search;
  const shorter = [1, 2].filter((count) => count < hopCountMax);
  // Hops that keep a reserve cost a share of the amount, which is counted only afterwards.
  const isReserved = slippageBps > 0;
  let alone: RouteCandidate | null = null;
  for (const count of [...(isReserved ? shorter : []), hopCountMax]) {
    const single = findSingle(field, { ...search, hopCountMax: count });
    if (single !== null && isBetter(single, alone)) alone = single;
  }
  if (!search.isDivided) return alone && buildBestRoute(alone, amountIn);
  const isDear = alone !== null && isMuch(alone, search);
  // If hops are expensive, shorter routes at worse prices may be better; they are not found among
  // the longer ones.
  const hopCounts = isDear || isReserved ? shorter : [];
  let best = alone;
  for (const count of [...hopCounts, hopCountMax]) {
    if (search.work.isSpent) break;
    const divided = findDivided(field, { ...search, hopCountMax: count });
    if (divided !== null && isBetter(divided, best)) best = divided;
  }
  return best && buildBestRoute(best, amountIn);
}

/** The pools that routes for a request may use, from the current graph. */
export function planField(
  graph: PoolGraph,
  { tokenIn, tokenOut }: Pick<RouteRequest, 'tokenIn' | 'tokenOut'>,
  options: Pick<RouteOptions, 'withHooked' | 'hopCountMax' | 'poolCountMax' | 'accepts'>,
): FieldPlan {
  const pools = new FieldPools(graph, { tokenIn, tokenOut, hopCountMax: options.hopCountMax });
  const [field] = pools.plan(options, [null]);
  if (field === undefined) throw new Error('one choice gives one field');
  return field;
}

/** Null if no route can take the whole input. Works on a plan, without the graph. */
export function findRouteIn(
  plan: FieldPlan,
  amountIn: bigint,
  options: Omit<RouteOptions, 'withHooked' | 'poolCountMax' | 'accepts'> = {},
): BestRoute | null {
  if (amountIn <= 0n) throw new RangeError(`no route for ${amountIn}`);
  if (!mayTake(plan, amountIn)) return null;
  return findInField(createField(plan), {
    amountIn,
    hopCountMax: options.hopCountMax ?? HOP_COUNT_MAX,
    isDivided: options.isDivided ?? true,
    room: options.room ?? null,
    cost: options.cost ?? FREE,
    slippageBps: options.slippageBps ?? 0,
    work: options.work ?? new SearchWork(),
  });
}

/** Null if no route can take the whole input. */
export function findBestRoute(
  graph: PoolGraph,
  request: RouteRequest,
  options: RouteOptions = {},
): BestRoute | null {
  return findRouteIn(planField(graph, request, options), request.amountIn, options);
}
