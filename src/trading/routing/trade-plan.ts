// A trade prepared for the search: the pools that it may use at each level of caution, and its
// terms.
//
// A plan is made from the graph of one moment and needs neither graph nor safety cache afterwards:
// pools are immutable, so it can be searched later or by another thread and still reflects that
// moment.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { DirectionSafety, SafetyCache } from '../graph/safety-cache.ts';
import {
  type AcceptEdge,
  type FieldPlan,
  FieldPools,
  HOP_COUNT_MAX,
  type TakePool,
} from './route-field.ts';
import { allowsVenue, NO_LIMITS, type RouteLimits } from './route-limits.ts';

// Which pools a trade may use, by what is known of their tokens.
//
// The caller chose the two ends of a trade, so any token is allowed there. We chose the tokens in
// between: a token that was not probed, taxes its transfers or cannot be sold again must not
// attract trades through itself, however good its price looks.

/** What the tokens at the two ends deduct from a transfer; pools that differ are not mixed. */
export interface EndTaxes {
  readonly inBps: number;
  readonly outBps: number;
}

/** Whether neither end deducts anything. */
export function isUntaxed({ inBps, outBps }: EndTaxes): boolean {
  return inBps === 0 && outBps === 0;
}

/** How much is tolerated, from the strict rules to anything that is better than no answer. */
interface Leniency {
  /** Intermediate tokens need not have been probed. */
  readonly unmeasured: boolean;
  /** Swaps that are known to fail may be used. */
  readonly blocked: boolean;
}

interface RouteRules {
  readonly graph: PoolGraph;
  readonly safetyCache: SafetyCache;
  /** Assets that need no probe: the native coin and the chain's known stable assets. */
  readonly trusted: ReadonlySet<Address>;
  readonly isPaused: (token: Address) => boolean;
  readonly assetIn: Address;
  readonly assetOut: Address;
}

const ADJACENT_COUNT_MAX = 500;

/** Losses by rounding, or gains from stray coins in a pair, are not taxes. */
function clampTaxBps(bps: number | null | undefined): number {
  return bps == null || bps < 1 ? 0 : bps;
}

function fits(bps: number | null, isEnd: boolean, wanted: number): boolean {
  return clampTaxBps(bps) === (isEnd ? wanted : 0);
}

function fitsTaxes(
  pool: GraphPool,
  known: DirectionSafety,
  ends: { readonly isFirst: boolean; readonly isLast: boolean; readonly taxes: EndTaxes },
): boolean {
  const { isFirst, isLast, taxes } = ends;
  if (!fits(known.inBps, isFirst, taxes.inBps)) return false;
  if (clampTaxBps(known.inBps) > 0 && !kindOf(pool).countsArrivals) return false;
  return fits(known.outBps, isLast, taxes.outBps);
}

function createRule(rules: RouteRules, taxes: EndTaxes, leniency: Leniency): AcceptEdge {
  const { graph, safetyCache, trusted, assetIn, assetOut } = rules;
  const isEnd = (asset: Address) => asset === assetIn || asset === assetOut;
  const isBarred = (asset: Address) => !isEnd(asset) && rules.isPaused(asset);
  const isChosenByUs = (asset: Address) => !isEnd(asset) && !trusted.has(asset);
  return (pool, zeroForOne) => {
    const asset0 = graph.toAsset(pool.token0);
    const asset1 = graph.toAsset(pool.token1);
    if (isBarred(asset0) || isBarred(asset1)) return false;
    const isFirst = (zeroForOne ? asset0 : asset1) === assetIn;
    const isLast = (zeroForOne ? asset1 : asset0) === assetOut;
    const isOurChoice = isChosenByUs(asset0) || isChosenByUs(asset1);
    const known = safetyCache.direction(pool.pool, zeroForOne);
    if (known === null) {
      if (isOurChoice && !leniency.unmeasured) return false;
      return fits(null, isFirst, taxes.inBps) && fits(null, isLast, taxes.outBps);
    }
    if (known.sellable === false && !leniency.blocked) return false;
    if (isOurChoice && !leniency.unmeasured) {
      if (known.sellable !== true || safetyCache.findDoubt(pool.pool) === 'seen') return false;
    }
    return fitsTaxes(pool, known, { isFirst, isLast, taxes });
  };
}

/** Every tax that pools of an asset were seen to take in one direction; 0 if none was. */
function listTaxes(
  rules: RouteRules,
  asset: Address,
  read: (pool: GraphPool, isToken0: boolean) => number | null | undefined,
): readonly number[] {
  const { graph, safetyCache } = rules;
  if (!safetyCache.mayBeTaxed(asset)) return [0];
  const found = new Set<number>();
  let count = 0;
  for (const ids of graph.neighbours(asset).values()) {
    for (const id of ids) {
      const pool = graph.get(id);
      count += 1;
      if (pool === undefined || count > ADJACENT_COUNT_MAX) continue;
      found.add(clampTaxBps(read(pool, graph.toAsset(pool.token0) === asset)));
    }
  }
  return found.size === 0 ? [0] : [...found].sort((a, b) => a - b);
}

/** The taxes that routes between the two ends may meet, each searched separately. */
export function listEndTaxes(rules: RouteRules): readonly EndTaxes[] {
  const { safetyCache } = rules;
  const ins = listTaxes(rules, rules.assetIn, (pool, isToken0) => {
    return safetyCache.direction(pool.pool, isToken0)?.inBps;
  });
  const outs = listTaxes(rules, rules.assetOut, (pool, isToken0) => {
    return safetyCache.direction(pool.pool, !isToken0)?.outBps;
  });
  return ins.flatMap((inBps) => outs.map((outBps) => ({ inBps, outBps })));
}

/** How much is traded. */
export interface GivenAmount {
  /** What is given: what the trade spends, or what it pays. */
  readonly fixed: 'input' | 'output';
  readonly amountRaw: bigint;
  /**
   * Half of the slippage. If the output is given: how much more of a token in between is bought
   * than is needed now, where its amount must be given, too. If the input is given and every swap
   * is told what to spend: how much less of a token in between a route of two hops spends.
   */
  readonly reserveBps: number;
  /**
   * If the output is given: how much more than is needed now a router spends at most that is told
   * what to spend. Twice the reserve if absent.
   */
  readonly spentMoreBps?: number;
}

export interface RouteQuestion {
  readonly graph: PoolGraph;
  readonly safetyCache: SafetyCache;
  readonly trusted: ReadonlySet<Address>;
  readonly isPaused: (token: Address) => boolean;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly size: GivenAmount;
  /**
   * The value of a unit of cost in units of the output, or of the input if the output is given;
   * null if unknown.
   */
  readonly outPerUnit: Ratio | null;
  readonly costs: TransactionCosts;
  /** A route uses one of them; absent if one reaches all pools. */
  readonly routers?: readonly TradeRouter[] | undefined;
  /** What the caller allows; everything if absent. */
  readonly limits?: RouteLimits;
  /** The only ones that may be used; all if absent. */
  readonly pools?: ReadonlySet<PoolId> | undefined;
  /**
   * Whether the router pays a part of the output to somebody else. It holds the output for that,
   * and a token that deducts from its transfers is not sent twice.
   */
  readonly paysFee?: boolean;
}

/** What a search needs to know of the router that would execute its route. */
export type PlannedRouter = Pick<TradeRouter, 'name' | 'canDivide' | 'outputCall'>;

/** Without what a search thread needs not be sent. */
export function toPlannedRouter({ name, canDivide, outputCall }: PlannedRouter): PlannedRouter {
  return { name, canDivide, outputCall };
}

/**
 * Pools of one router with the same measured taxes: others are not mixed with them in one route.
 */
export interface TaxPlan {
  readonly taxes: EndTaxes;
  readonly field: FieldPlan;
  /** Null if one router reaches all pools. */
  readonly router: PlannedRouter | null;
}

interface RefusalPlan {
  /** All pools between the two assets. */
  readonly all: FieldPlan;
  /** Those of each router; null if one reaches all pools. */
  readonly ofRouters: readonly FieldPlan[] | null;
  /** Whether a token taxes its transfers in all its pools, and no router allows for that. */
  readonly isTaxRefused: boolean;
}

/**
 * From clean pools, without those whose hooks may move a later one, to whatever is better than no
 * answer.
 */
export type PlanLevel = 'strict' | 'loose' | 'any';

export interface TradePlan extends Pick<RouteQuestion, 'size' | 'outPerUnit' | 'costs'> {
  planLevel(level: PlanLevel): readonly TaxPlan[];
  /** What is looked at to find out why there is no route. */
  planRefusal(): RefusalPlan;
}

const LEVELS: Readonly<Record<PlanLevel, Leniency & { readonly withMovers: boolean }>> = {
  strict: { unmeasured: false, blocked: false, withMovers: false },
  loose: { unmeasured: true, blocked: false, withMovers: true },
  any: { unmeasured: true, blocked: true, withMovers: true },
};

/** A token with a different tax in each pool gets at most this many searches. */
const TAX_PLAN_COUNT_MAX = 16;
/** Enough to find a reason. */
const REFUSAL_POOL_COUNT_MAX = 64;

/** Of an asset with more neighbours than this, it is not checked which venues it trades on. */
const VENUES_CHECKED_MAX = 32;

/** Whether a router may reach an asset; a first look that saves most searches. */
function mayReach(graph: PoolGraph, asset: Address, { venues }: TradeRouter): boolean {
  const neighbours = graph.neighbours(asset);
  if (neighbours.size > VENUES_CHECKED_MAX) return true;
  for (const ids of neighbours.values()) {
    for (const id of ids) if (venues.has(graph.get(id)?.venue ?? '')) return true;
  }
  return false;
}

/**
 * Those that may have a route; the quick searches, of undivided routes, come first. Of two that
 * take the same the first is used: for a given output one that pays no more than that. Such
 * routers do not compare what arrives, so they are preferred only if the token is vouched for.
 */
function pickRouters(
  { graph, routers = [], paysFee = false, size, trusted }: RouteQuestion,
  { assetIn, assetOut }: Readonly<Record<'assetIn' | 'assetOut', Address>>,
): readonly TradeRouter[] {
  const isVouched = size.fixed === 'output' && trusted.has(assetOut);
  const able = routers.filter(
    (one) => (!paysFee || one.paysFee === true) && (isVouched || one.onlyOutputs !== true),
  );
  const found = able.filter((one) =>
    [assetIn, assetOut].every((asset) => mayReach(graph, asset, one)),
  );
  const paysMore = ({ outputCall }: TradeRouter) => Number(isVouched && outputCall !== 'exactPath');
  return found.toSorted(
    (a, b) => Number(a.canDivide) - Number(b.canDivide) || paysMore(a) - paysMore(b),
  );
}

function chooseVenues({ venues }: TradeRouter): TakePool {
  return ({ venue }) => venues.has(venue);
}

function canTrade({ inBps, outBps }: EndTaxes, router: TradeRouter | null): boolean {
  return router === null || router.canTax || (inBps === 0 && outBps === 0);
}

/** Without what wrapping the coin takes of a transaction's length. */
function leaveRoomToWrap({ graph, tokenIn, costs }: RouteQuestion): TransactionCosts {
  const { bytesMax, fewBytesMax, nativeInBytes = 0 } = costs;
  if (nativeInBytes === 0 || tokenIn !== graph.native.coin) return costs;
  const left = { bytesMax: bytesMax - nativeInBytes, fewBytesMax: fewBytesMax - nativeInBytes };
  return { ...costs, ...left };
}

/** Levels are computed when first used: valid only while the graph does not change. */
export function planTrade(question: RouteQuestion): TradePlan {
  const { graph, size, outPerUnit, isPaused, limits: allowed = NO_LIMITS } = question;
  const costs = leaveRoomToWrap(question);
  const assetIn = graph.toAsset(question.tokenIn);
  const assetOut = graph.toAsset(question.tokenOut);
  const rules: RouteRules = { ...question, assetIn, assetOut };
  const isTradeable = (token: Address) => {
    const asset = graph.toAsset(token);
    return asset === assetIn || asset === assetOut || !isPaused(token);
  };
  const picked = pickRouters(question, { assetIn, assetOut });
  const routers = question.routers === undefined ? [null] : picked;
  let collected: FieldPools | null = null;
  const collectPools = () => {
    const { tokenIn, tokenOut } = question;
    const hopCountMax = allowed.directOnly ? 1 : HOP_COUNT_MAX;
    collected ??= new FieldPools(graph, { tokenIn, tokenOut, hopCountMax });
    return collected;
  };
  const isAllowed = ({ venue, pool }: GraphPool) =>
    allowsVenue(allowed, venue) && (question.pools?.has(pool) ?? true);
  return {
    size,
    outPerUnit,
    costs,
    planLevel: (name) => {
      const level = LEVELS[name];
      const taxPlans = listEndTaxes(rules)
        .filter(({ outBps }) => outBps === 0 || question.paysFee !== true)
        .slice(0, TAX_PLAN_COUNT_MAX);
      return taxPlans.flatMap((taxes) => {
        const able = routers.filter((router) => canTrade(taxes, router));
        if (able.length === 0) return [];
        const rule = createRule(rules, taxes, level);
        const mayMove: AcceptEdge = ({ hook, token0, token1 }, zeroForOne) =>
          hook?.class === 'after' && graph.toAsset(zeroForOne ? token1 : token0) !== assetOut;
        const accepts: AcceptEdge = (pool, zeroForOne) =>
          isAllowed(pool) &&
          (level.withMovers || !mayMove(pool, zeroForOne)) &&
          rule(pool, zeroForOne);
        const limits = { accepts };
        const choices = able.map((router) => router && chooseVenues(router));
        const fields = collectPools().plan(limits, choices);
        return fields.map((field, index) => ({ taxes, field, router: able[index] ?? null }));
      });
    },
    planRefusal: () => {
      const isSeveral = (question.routers?.length ?? 0) > 1;
      const limits = {
        poolCountMax: REFUSAL_POOL_COUNT_MAX,
        accepts: (pool: GraphPool) =>
          isAllowed(pool) && isTradeable(pool.token0) && isTradeable(pool.token1),
      };
      const choices = [null, ...(isSeveral ? picked.map(chooseVenues) : [])];
      const [all, ...ofRouters] = collectPools().plan(limits, choices);
      if (all === undefined) throw new Error('each choice gives a field');
      const isRefused = (taxes: EndTaxes) => !routers.some((router) => canTrade(taxes, router));
      const isTaxRefused = routers.length > 0 && listEndTaxes(rules).every(isRefused);
      return { all, ofRouters: isSeveral ? ofRouters : null, isTaxRefused };
    },
  };
}

/** A plan with all of its levels worked out. */
export interface WholePlan extends Pick<TradePlan, 'size' | 'outPerUnit' | 'costs'> {
  readonly levels: Readonly<Record<PlanLevel, readonly TaxPlan[]>>;
  readonly refusal: RefusalPlan;
}

/** Must be called before the graph changes: the plan is independent of it afterwards. */
export function toWholePlan(plan: TradePlan): WholePlan {
  const { size, outPerUnit, costs } = plan;
  const levels = {
    strict: plan.planLevel('strict'),
    loose: plan.planLevel('loose'),
    any: plan.planLevel('any'),
  };
  return { size, outPerUnit, costs, levels, refusal: plan.planRefusal() };
}

export function toTradePlan(whole: WholePlan): TradePlan {
  const { size, outPerUnit, costs, levels, refusal } = whole;
  return {
    ...{ size, outPerUnit, costs },
    planLevel: (name) => levels[name],
    planRefusal: () => refusal,
  };
}
