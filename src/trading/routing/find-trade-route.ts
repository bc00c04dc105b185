// The best route for a trade, within the safety rules for its tokens.

import type { Ratio } from '../../lib/decimal.ts';
import { explainNoRoute, type NoRouteReason } from './explain-no-route.ts';
import { type BestRoute, findRouteIn } from './route.ts';
import type { EndTaxes } from './route-rules.ts';
import { FREE, type RouteCost } from './route-single.ts';
import type { SearchWork } from './search-work.ts';
import { createUnitCost } from './trade-cost.ts';
import type { PlanLevel, TradePlan } from './trade-plan.ts';
import { computePriceImpactBps } from './trade-prices.ts';
import { createRoom } from './transaction-room.ts';

export interface TaxedRoute {
  readonly route: BestRoute;
  readonly taxes: EndTaxes;
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

function searchAt(plan: TradePlan, level: PlanLevel, work: SearchWork): TaxedRoute | null {
  const { outPerUnit, costs } = plan;
  const isCostKnown = outPerUnit !== null && !costs.hasDataFees;
  const options = {
    room: createRoom(costs, isCostKnown ? 'whole' : 'small'),
    ...(outPerUnit === null ? {} : { cost: createRouteCost(outPerUnit) }),
    work,
  };
  let best: TaxedRoute | null = null;
  for (const { taxes, field } of plan.planLevel(level)) {
    if (best !== null && work.isSpent) break;
    const amountIn = plan.amountIn - computeTax(plan.amountIn, taxes.inBps);
    if (amountIn <= 0n) continue;
    const route = findRouteIn(field, amountIn, options);
    if (route === null) continue;
    const amountOut = route.amountOut - computeTax(route.amountOut, taxes.outBps);
    if (amountOut > (best?.amountOut ?? 0n)) best = { route, taxes, amountOut };
  }
  return best;
}

/** Null if no route takes the whole amount and pays anything. */
export function findTradeRoute(plan: TradePlan, work: SearchWork): TaxedRoute | null {
  const strict = searchAt(plan, 'strict', work);
  if (strict !== null && computePriceImpactBps(strict.route) < IMPACT_HIGH_BPS) return strict;
  if (strict !== null && work.isSpent) return strict;
  const loose = searchAt(plan, 'loose', work);
  if (strict === null) return loose ?? searchAt(plan, 'any', work);
  if (loose === null) return strict;
  return loose.amountOut * 100n > strict.amountOut * (100n + BETTER_PCT) ? loose : strict;
}

/** The best route, or why there is none. */
export function searchTrade(plan: TradePlan, work: SearchWork): TradeSearch {
  const found = findTradeRoute(plan, work);
  if (found !== null) return { kind: 'found', found };
  return { kind: 'none', reason: explainNoRoute(plan, work) };
}
