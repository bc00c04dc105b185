// The best route for a trade, within the safety rules for its tokens.

import type { Ratio } from '../../lib/decimal.ts';
import { findExactOutRoute } from './exact-out-route.ts';
import { explainNoRoute, type NoRouteReason } from './explain-no-route.ts';
import { pickOutputPools } from './output-paths.ts';
import { type BestRoute, findRouteIn } from './route.ts';
import { createField } from './route-field.ts';
import { type EndTaxes, isUntaxed } from './route-rules.ts';
import { FREE, type RouteCost } from './route-single.ts';
import type { SearchWork } from './search-work.ts';
import { createUnitCost } from './trade-cost.ts';
import { canFixOutput, type PlanLevel, type TradePlan } from './trade-plan.ts';
import { computePriceImpactBps } from './trade-prices.ts';
import { createRoom } from './transaction-room.ts';

export interface TaxedRoute {
  readonly route: BestRoute;
  readonly taxes: EndTaxes;
  /** The name of the router that reaches all of its pools; null if the chain has only one. */
  readonly router: string | null;
  /** What arrives after the output's own tax. */
  readonly amountOut: bigint;
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

function createOptions({ outPerUnit, costs }: TradePlan, work: SearchWork) {
  const isCostKnown = outPerUnit !== null && !costs.hasDataFees;
  return {
    room: createRoom(costs, isCostKnown ? 'whole' : 'small'),
    cost: outPerUnit === null ? FREE : createRouteCost(outPerUnit),
    work,
  };
}

function searchExactOut(
  plan: TradePlan,
  level: PlanLevel,
  options: ReturnType<typeof createOptions>,
): TaxedRoute | null {
  const { amountRaw: amountOut, reserveBps } = plan.size;
  const plans = plan.planLevel(level).filter(canFixOutput);
  const found = plans.find(({ taxes }) => isUntaxed(taxes));
  if (found === undefined) return null;
  const { taxes, field, router } = found;
  const search = { ...options, amountOut, reserveBps };
  const route = findExactOutRoute(createField(pickOutputPools(field)), search);
  return route && { route, taxes, amountOut: route.amountOut, router: router?.name ?? null };
}

function searchAt(plan: TradePlan, level: PlanLevel, work: SearchWork): TaxedRoute | null {
  const { fixed, amountRaw } = plan.size;
  const options = createOptions(plan, work);
  if (fixed === 'output') return searchExactOut(plan, level, options);
  let best: TaxedRoute | null = null;
  for (const { taxes, field, router } of plan.planLevel(level)) {
    if (best !== null && work.isSpent) break;
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
    return one.route.amountIn * (100n + BETTER_PCT) < than.route.amountIn * 100n;
  }
  return one.amountOut * 100n > than.amountOut * (100n + BETTER_PCT);
}

/** The best route, or why there is none. */
export function searchTrade(plan: TradePlan, work: SearchWork): TradeSearch {
  const found = findTradeRoute(plan, work);
  if (found !== null) return { kind: 'found', found };
  return { kind: 'none', reason: explainNoRoute(plan, work) };
}
