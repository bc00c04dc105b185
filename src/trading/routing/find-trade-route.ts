// The best route for a trade, within the safety rules for its tokens.

import type { Ratio } from '../../lib/decimal.ts';
import { findExactOutRoute, listOutputFields } from './exact-out-route.ts';
import { explainNoRoute, type NoRouteReason } from './explain-no-route.ts';
import { type BestRoute, findRouteIn } from './route.ts';
import { createField } from './route-field.ts';
import { FREE, type RouteCost } from './route-single.ts';
import type { SearchWork } from './search-work.ts';
import { listShortPlans } from './short-plans.ts';
import { createRoom, createUnitCost, type RouteRoom } from './trade-cost.ts';
import type { GivenAmount, PlanLevel, TaxPlan, TradePlan } from './trade-plan.ts';
import { type EndTaxes, isUntaxed } from './trade-plan.ts';
import { computePriceImpactBps } from './trade-prices.ts';

export interface TaxedRoute {
  readonly route: BestRoute;
  readonly taxes: EndTaxes;
  /** The name of the router that reaches all of its pools; null if the chain has only one. */
  readonly router: string | null;
  /** What arrives after the output's own tax. */
  readonly amountOut: bigint;
  /**
   * If the output is given: whether its router is told what to spend all the same. The route is the
   * one of the smallest input.
   */
  readonly isInputGiven?: boolean;
  /** Of a called pool: whether nothing else that is known shows its price. False if absent. */
  readonly isPriceUnbounded?: boolean;
}

export type TradeSearch =
  | { readonly kind: 'found'; readonly found: TaxedRoute }
  | { readonly kind: 'none'; readonly reason: NoRouteReason };

const BPS = 10_000n;
/** From this price impact on, pools with hooks and unchecked tokens are searched, too. */
const IMPACT_HIGH_BPS = 300;
/** How much better a route through those must be, in per cent. */
const BETTER_PCT = 2n;

/** A tax in whole units, rounded as most contracts do. */
export function computeTax(amount: bigint, bps: number): bigint {
  return (amount * BigInt(Math.round(bps))) / BPS;
}

function createRouteCost(outPerUnit: Ratio): RouteCost {
  return outPerUnit.numerator === 0n ? FREE : createUnitCost(outPerUnit);
}

/** Net of what the swaps cost. */
function isBetter(one: TaxedRoute, than: TaxedRoute | null): boolean {
  if (than === null) return one.amountOut > 0n;
  return one.amountOut - one.route.cost > than.amountOut - than.route.cost;
}

/** With the most that is spent in case the price moves, if that is all spent in any case. */
function computeComparedInput(
  { route, isInputGiven }: TaxedRoute,
  { reserveBps, spentMoreBps = 2 * reserveBps }: GivenAmount,
): bigint {
  return isInputGiven ? (route.amountIn * (BPS + BigInt(spentMoreBps))) / BPS : route.amountIn;
}

/** The same if the output is given. */
function isCheaper(one: TaxedRoute, than: TaxedRoute | null, size: GivenAmount): boolean {
  if (than === null) return true;
  const spent = computeComparedInput(one, size) + one.route.cost;
  return spent < computeComparedInput(than, size) + than.route.cost;
}

interface SearchOptions {
  readonly room: RouteRoom;
  readonly cost: RouteCost;
  readonly work: SearchWork;
  /** What the hops of a route that spends a given input share; 0 if nothing has to be shared. */
  readonly slippageBps: number;
  /** Called when a route would be better, but is too long for a transaction. */
  readonly onTooLong: () => void;
}

function createOptions(
  { outPerUnit, costs, size }: TradePlan,
  { work, onTooLong }: Pick<SearchOptions, 'work' | 'onTooLong'>,
): SearchOptions {
  const isCostKnown = outPerUnit !== null && !costs.hasDataFees;
  const room = createRoom(costs, isCostKnown ? 'whole' : 'small');
  const hasBytesFor: RouteRoom['hasBytesFor'] = (path) => {
    const isShort = room.hasBytesFor(path);
    if (!isShort) onTooLong();
    return isShort;
  };
  const cost = outPerUnit === null ? FREE : createRouteCost(outPerUnit);
  // The reserve is half of the slippage.
  const slippageBps = costs.fixesInputs === true ? 2 * size.reserveBps : 0;
  return { room: { ...room, hasBytesFor }, cost, work, slippageBps, onTooLong };
}

/** The cheapest over all routers. */
function searchExactOut(
  plans: readonly TaxPlan[],
  size: GivenAmount,
  options: SearchOptions,
): TaxedRoute | null {
  let best: TaxedRoute | null = null;
  for (const plan of plans.filter(({ taxes }) => isUntaxed(taxes))) {
    for (const { field, call } of listOutputFields(plan)) {
      if (best !== null && options.work.isSpent) return best;
      const isInputGiven = call === 'input';
      // What a hop pays is all spent by the next one.
      const reserveBps = isInputGiven ? 0 : size.reserveBps;
      const search = { ...options, amountOut: size.amountRaw, reserveBps, call };
      const route = findExactOutRoute(createField(field), search);
      if (route === null) continue;
      const { taxes, router } = plan;
      const { amountOut } = route;
      const found = { route, taxes, amountOut, isInputGiven, router: router?.name ?? null };
      if (isCheaper(found, best, size)) best = found;
    }
  }
  return best;
}

function searchPlans(
  plans: readonly TaxPlan[],
  size: GivenAmount,
  options: SearchOptions,
): TaxedRoute | null {
  const { fixed, amountRaw } = size;
  if (fixed === 'output') return searchExactOut(plans, size, options);
  let best: TaxedRoute | null = null;
  for (const { taxes, field, router } of plans) {
    if (best !== null && options.work.isSpent) break;
    const amountIn = amountRaw - computeTax(amountRaw, taxes.inBps);
    if (amountIn <= 0n) continue;
    const isDivided = router?.canDivide ?? true;
    const route = findRouteIn(field, amountIn, { ...options, isDivided });
    if (route === null) continue;
    const amountOut = route.amountOut - computeTax(route.amountOut, taxes.outBps);
    const found = { route, taxes, amountOut, router: router?.name ?? null };
    if (isBetter(found, best)) best = found;
  }
  return best;
}

/** If a better route is too long, ways around its longest hops are searched, too. */
function searchAt(plan: TradePlan, level: PlanLevel, work: SearchWork): TaxedRoute | null {
  const { size, costs } = plan;
  const plans = plan.planLevel(level);
  let isCut = false;
  const onTooLong = () => {
    isCut = true;
  };
  const options = createOptions(plan, { work, onTooLong });
  let best = searchPlans(plans, size, options);
  if (!isCut) return best;
  const isBest = (one: TaxedRoute, than: TaxedRoute | null) =>
    size.fixed === 'output' ? isCheaper(one, than, size) : isBetter(one, than);
  for (const short of listShortPlans(plans, costs)) {
    if (work.isSpent) break;
    const found = searchPlans(short, size, options);
    if (found !== null && isBest(found, best)) best = found;
  }
  return best;
}

/** Null if no route takes the whole amount and pays anything, or pays the whole amount. */
export function findTradeRoute(plan: TradePlan, work: SearchWork): TaxedRoute | null {
  const strict = searchAt(plan, 'strict', work);
  if (strict !== null && computePriceImpactBps(strict.route) < IMPACT_HIGH_BPS) return strict;
  if (strict !== null && work.isSpent) return strict;
  const loose = searchAt(plan, 'loose', work);
  if (strict === null) return loose ?? searchAt(plan, 'any', work);
  if (loose === null) return strict;
  return isMuchBetter(plan, loose, strict) ? loose : strict;
}

function isMuchBetter({ size }: TradePlan, one: TaxedRoute, than: TaxedRoute): boolean {
  if (size.fixed === 'output') {
    const spent = computeComparedInput(one, size);
    return spent * (100n + BETTER_PCT) < computeComparedInput(than, size) * 100n;
  }
  return one.amountOut * 100n > than.amountOut * (100n + BETTER_PCT);
}

/** The best route, or why there is none. */
export function searchTrade(plan: TradePlan, work: SearchWork): TradeSearch {
  const found = findTradeRoute(plan, work);
  if (found !== null) return { kind: 'found', found };
  return { kind: 'none', reason: explainNoRoute(plan, work) };
}
