// Finds the best way to turn an amount of one asset into another over all pools of the graph.

import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import { mayMoveLater } from '../graph/pool-graph-pool.ts';
import { keepReserve, reserveLegs } from './keep-reserve.ts';
import { cutCurve } from './route-curve.ts';
import { executePath, executeShares } from './route-execute.ts';
import {
  type AcceptEdge,
  createField,
  type FieldPlan,
  FieldPools,
  HOP_COUNT_MAX,
  NODE_IN,
  NODE_OUT,
  type RouteEdge,
  type RouteField,
  restrictField,
} from './route-field.ts';
import { RouteFlow } from './route-flow.ts';
import {
  buildGroups,
  buildLegs,
  buildPoolParts,
  computeGainAt,
  mayTake,
  type PoolGroup,
  type PoolPart,
  type RouteLeg,
} from './route-parts.ts';
import { FREE, findBestSingle, type RouteCost } from './route-single.ts';
import type { PoolSwap } from './route-swaps.ts';
import { POOL_EVALUATIONS, SearchWork } from './search-work.ts';
import type { RouteRoom } from './trade-cost.ts';
import { buildSwapPaths, type RoutePath } from './trade-cost.ts';

// A division: the best split of the input among the pools of a field, with the value of each pool.

/** The request of a search. */
interface RouteSearch {
  readonly amountIn: bigint;
  readonly hopCountMax: number;
  readonly isDivided: boolean;
  readonly room: RouteRoom | null;
  readonly cost: RouteCost;
  /** What is spread over the hops, where every swap is told what to spend; 0 elsewhere. */
  readonly slippageBps: number;
  readonly work: SearchWork;
}

/** Its estimated output, gross and net of the cost of its pools. */
interface Division {
  readonly field: RouteField;
  readonly flow: RouteFlow;
  readonly parts: readonly PoolPart[];
  readonly amountOut: number;
  readonly net: number;
}

function priceEdge({ edge }: PoolPart, { cost }: RouteSearch): number {
  return cost === FREE ? 0 : Number(cost([edge]));
}

/**
 * Null if the two assets are not connected. `before`, a division with a few more pools, makes it
 * faster.
 */
function divide(field: RouteField, search: RouteSearch, before?: Division): Division | null {
  const flow = new RouteFlow(field, search.hopCountMax, search.work);
  if (!flow.divide(Number(search.amountIn), before?.flow)) return null;
  const parts = buildPoolParts(field, flow, search.hopCountMax);
  search.work.add(field.edges.length * POOL_EVALUATIONS);
  const { amountOut } = flow;
  const net = parts.reduce((left, part) => left - priceEdge(part, search), amountOut);
  return { field, flow, parts, amountOut, net };
}

// Which pools a division drops: those that do not pay for themselves, or gain least.

/** The share of all pools to drop at a time, at least one. */
const DROPPED_SHARE = 0.2;
/** Pools that gain less than this fraction of their cost are dropped all at once. */
const HOPELESS_RATE = 0.1;
/** The maximum number of attempts to drop pools; usually a few are enough. */
const ATTEMPT_COUNT_MAX = 60;
/** Up to this number each pool is tried separately. */
const FEW = 16;

/**
 * Splits again without the first groups, as many as needed; null if none of them can be dropped.
 */
function divideWithout(
  division: Division,
  groups: readonly PoolGroup[],
  search: RouteSearch & { readonly isEnough: (dropped: ReadonlySet<PoolPart>) => boolean },
): Division | null {
  const { field, parts } = division;
  let dropped: ReadonlySet<PoolPart> = new Set();
  for (const group of groups) {
    const more = new Set([...dropped, ...group.parts]);
    if (more.size >= parts.length) break;
    dropped = more;
    if (search.isEnough(dropped)) break;
  }
  if (dropped.size === 0) return null;
  const kept = parts.filter((part) => !dropped.has(part));
  const edges = kept.map(({ edge }) => edge);
  return divide(restrictField(field, edges), search, division);
}

/** Drops pools that cost more than they gain, while that improves the net result. */
function dropLossy(division: Division, search: RouteSearch): Division {
  const needed = new Set<PoolId>();
  let current = division;
  if (search.cost === FREE) return current;
  let most = current.parts.length;
  for (let attempt = 0; attempt < ATTEMPT_COUNT_MAX && !search.work.isSpent; attempt += 1) {
    search.work.add(current.parts.length * POOL_EVALUATIONS);
    const groups = buildGroups(current.parts, (part) => priceEdge(part, search));
    const lossy = groups.filter(({ gain, size, pool }) => gain < size && !needed.has(pool));
    const [first] = lossy;
    if (first === undefined) break;
    const hopeless = lossy.filter(({ gain, size }) => gain < size * HOPELESS_RATE).length;
    const some = Math.max(hopeless, Math.ceil(current.parts.length * DROPPED_SHARE));
    const count = Math.min(most, some, lossy.length);
    const isEnough = ({ size }: ReadonlySet<PoolPart>) => size >= count;
    const next = divideWithout(current, lossy, { ...search, isEnough });
    if (next !== null && next.net >= current.net) {
      current = next;
      most = count * 2;
    } else if (count > 1) {
      // Dropping a pool may lose more than its gain.
      most = Math.floor(count / 2);
    } else {
      needed.add(first.pool);
    }
  }
  return current;
}

/** Drops the pools that gain least: one, or this share of all. */
function dropLeast(division: Division, share: number, search: RouteSearch): Division | null {
  const { parts } = division;
  const groups = buildGroups(parts, () => 1);
  if (parts.length > FEW) {
    const count = Math.ceil(parts.length * share);
    return divideWithout(division, groups, { ...search, isEnough: ({ size }) => size >= count });
  }
  let best: Division | null = null;
  for (const group of groups) {
    if (search.work.isSpent) break;
    const next = divideWithout(division, [group], { ...search, isEnough: () => true });
    if (next !== null && (best === null || next.net > best.net)) best = next;
  }
  return best;
}

// Shrinks a division until it fits in one transaction.

/** The share of the missing room to free at a time, or of all room. */
const FREED_PART = 0.1;
const FREED_SHARE = 0.03;
const FREED_SHARE_MIN = 0.002;
/** A loss above this multiple of the estimate is investigated, from this share of the output on. */
const LOSS_FACTOR_MAX = 3;
const LOSS_NOTED_MIN = 1e-5;
const FREE_ATTEMPT_COUNT_MAX = 10;

/** A way to free room: drop some pools, or stop one short of its last tick. */
interface Saving {
  readonly loss: number;
  readonly freed: number;
  readonly gone: ReadonlySet<PoolPart>;
  readonly cut: { readonly part: PoolPart; readonly edge: RouteEdge } | null;
}

function* findSavings(parts: readonly PoolPart[], room: RouteRoom): Generator<Saving> {
  const computeShare = (part: PoolPart) => computeRoomShare(part, room);
  for (const { parts: gone, gain, size } of buildGroups(parts, computeShare)) {
    yield { loss: gain, freed: size, gone, cut: null };
  }
  for (const part of parts) {
    const { edge, flow, gain } = part;
    const tickCount = edge.curve.countStretches(flow);
    if (tickCount === 0) continue;
    const loss = gain - computeGainAt(part, edge.curve.computeInOfStretches(tickCount));
    const freed = computeShare(part) - computeRoomShare(part, room, tickCount - 1);
    const cut = { part, edge: { ...edge, curve: cutCurve(edge.curve, tickCount) } };
    yield { loss, freed, gone: new Set(), cut };
  }
}

function computeRoomShare(
  { edge, flow }: PoolPart,
  room: RouteRoom,
  ticksCrossed = edge.curve.countStretches(flow),
): number {
  return room.computeShare({ pool: edge.pool, ticksCrossed, isFirst: edge.from === NODE_IN });
}

/** Splits again with as many savings as free this much room, or with this many. */
function divideWith(
  division: Division,
  savings: readonly Saving[],
  search: RouteSearch & { readonly enough: number; readonly countMax: number },
) {
  const edges = new Map(division.parts.map((part) => [part, part.edge]));
  const used: Saving[] = [];
  let freed = 0;
  for (const saving of savings) {
    if (freed >= search.enough || used.length >= search.countMax) break;
    const { gone, cut } = saving;
    if ((cut !== null && !edges.has(cut.part)) || gone.size >= edges.size) continue;
    if (cut !== null) edges.set(cut.part, cut.edge);
    for (const part of gone) edges.delete(part);
    freed += saving.freed;
    used.push(saving);
  }
  if (used.length === 0) return null;
  const next = divide(restrictField(division.field, [...edges.values()]), search, division);
  return next && { next, used };
}

/** Frees room at the lowest loss; savings that turn out to lose much more are undone. */
function freeRoom(division: Division, excess: number, search: RouteSearch): Division | null {
  const { room } = search;
  if (room === null) return null;
  if (division.parts.length <= FEW) return dropLeast(division, 0, search);
  search.work.add(division.parts.length * POOL_EVALUATIONS);
  const savings = [...findSavings(division.parts, room)];
  savings.sort((a, b) => a.loss * b.freed - b.loss * a.freed);
  let left: readonly Saving[] = savings;
  let countMax = savings.length;
  const some = Math.min(excess, Math.max(excess * FREED_PART, FREED_SHARE));
  const enough = Math.max(FREED_SHARE_MIN, some);
  let best: Division | null = null;
  for (let attempt = 0; attempt < FREE_ATTEMPT_COUNT_MAX && !search.work.isSpent; attempt += 1) {
    const divided = divideWith(division, left, { ...search, enough, countMax });
    if (divided === null) break;
    const { next, used } = divided;
    if (best === null || next.amountOut > best.amountOut) best = next;
    const expectedLoss = used.reduce(
      (sum, { loss }) => sum + loss,
      division.amountOut * LOSS_NOTED_MIN,
    );
    if (division.amountOut - next.amountOut <= expectedLoss * LOSS_FACTOR_MAX) return next;
    // One of them loses more than its gain: trying fewer finds it sooner.
    if (used.length > 1) {
      countMax = Math.floor(used.length / 2);
    } else {
      left = left.filter((saving) => saving !== used[0]);
      countMax = savings.length;
    }
  }
  return best;
}

interface RouteRequest {
  /** Native and wrapped coin are one asset if the graph has a wrapped coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
}

export interface RouteOptions {
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
  readonly swapPaths: readonly RoutePath[];
  /** The same as routes, the largest first: for a shared pool each route has its part. */
  readonly legs: readonly RouteLeg[];
  /** The total `cost` of the swap paths. */
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
  readonly swapPaths: readonly RoutePath[];
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
  const swapPaths = buildSwapPaths(swaps);
  const parts = buildLegs(whole);
  if (parts === null) return null;
  const legs = swaps === whole ? parts : reserveLegs(parts, { whole, reserved: swaps });
  const amountOut = sumOutput(swaps);
  return {
    ...{ swaps, swapPaths, legs, amountOut, keptBack: sumOutput(whole) - amountOut },
    cost: swapPaths.reduce((sum, { hops }) => sum + cost(hops), 0n),
  };
}

function isBetter(one: RouteCandidate, than: RouteCandidate | null): boolean {
  return than === null || one.amountOut - one.cost > than.amountOut - than.cost;
}

function buildBestRoute(candidate: RouteCandidate, amountIn: bigint): BestRoute {
  const { swaps, swapPaths, legs, amountOut, keptBack, cost } = candidate;
  const pools = swaps.map(({ hop }) => hop.pool);
  const exact = pools.every(({ inexact }) => inexact === null) && !mayMoveLater(pools);
  const kept = keptBack > 0n ? { keptBack } : {};
  return { amountIn, amountOut, swapPaths, legs, cost, ...kept, exact };
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
    const used = search.room?.computeUsed(candidate.swapPaths) ?? 0;
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
function isMuch({ cost, amountOut, swapPaths }: RouteCandidate, { room }: RouteSearch): boolean {
  const roomShare = room?.computeUsed(swapPaths) ?? 0;
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
  options: Pick<RouteOptions, 'hopCountMax' | 'poolCountMax' | 'accepts'>,
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
  options: Omit<RouteOptions, 'poolCountMax' | 'accepts'> = {},
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
