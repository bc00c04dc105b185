// A trade prepared for the search: the pools that it may use at each level of caution, and its
// terms.
//
// A plan is made from the graph of one moment and needs neither graph nor safety book afterwards:
// pools are immutable, so it can be searched later or by another thread and still reflects that
// moment.

import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { SafetyBook } from '../graph/safety-book.ts';
import { planField } from './route.ts';
import type { FieldPlan } from './route-field.ts';
import {
  createRule,
  type EndTaxes,
  type Leniency,
  listEndTaxes,
  type RouteRules,
} from './route-rules.ts';

export interface RouteQuestion {
  readonly graph: PoolGraph;
  readonly book: SafetyBook;
  readonly trusted: ReadonlySet<Address>;
  readonly isPaused: (token: Address) => boolean;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  /** The value of a unit of cost in units of the output; null if unknown. */
  readonly outPerUnit: Ratio | null;
  readonly costs: TransactionCosts;
}

/** Pools with the same measured taxes: others are not mixed with them in one route. */
interface TaxPlan {
  readonly taxes: EndTaxes;
  readonly field: FieldPlan;
}

/** From clean pools without hooks to whatever is better than no answer. */
export type PlanLevel = 'strict' | 'loose' | 'any';

export interface TradePlan extends Pick<RouteQuestion, 'amountIn' | 'outPerUnit' | 'costs'> {
  planLevel(level: PlanLevel): readonly TaxPlan[];
  /** All pools between the two assets, to find out why there is no route. */
  planRefusal(): FieldPlan;
}

const LEVELS: Readonly<Record<PlanLevel, Leniency & { readonly withHooked: boolean }>> = {
  strict: { unmeasured: false, blocked: false, withHooked: false },
  loose: { unmeasured: true, blocked: false, withHooked: true },
  any: { unmeasured: true, blocked: true, withHooked: true },
};

/** A token with a different tax in each pool gets at most this many searches. */
const TAX_PLAN_COUNT_MAX = 16;
/** Enough to find a reason. */
const REFUSAL_POOL_COUNT_MAX = 64;

/** Levels are computed when first used: valid only while the graph does not change. */
export function planTrade(question: RouteQuestion): TradePlan {
  const { graph, amountIn, outPerUnit, costs, isPaused } = question;
  const assetIn = graph.toAsset(question.tokenIn);
  const assetOut = graph.toAsset(question.tokenOut);
  const rules: RouteRules = { ...question, assetIn, assetOut };
  const isTradeable = (token: Address) => {
    const asset = graph.toAsset(token);
    return asset === assetIn || asset === assetOut || !isPaused(token);
  };
  return {
    amountIn,
    outPerUnit,
    costs,
    planLevel: (name) => {
      const level = LEVELS[name];
      const { withHooked } = level;
      return listEndTaxes(rules)
        .slice(0, TAX_PLAN_COUNT_MAX)
        .map((taxes) => {
          const accepts = createRule(rules, taxes, level);
          return { taxes, field: planField(graph, question, { withHooked, accepts }) };
        });
    },
    planRefusal: () =>
      planField(graph, question, {
        withHooked: true,
        poolCountMax: REFUSAL_POOL_COUNT_MAX,
        accepts: ({ token0, token1 }) => isTradeable(token0) && isTradeable(token1),
      }),
  };
}

/** A plan with all of its levels worked out. */
export interface WholePlan extends Pick<TradePlan, 'amountIn' | 'outPerUnit' | 'costs'> {
  readonly levels: Readonly<Record<PlanLevel, readonly TaxPlan[]>>;
  readonly refusal: FieldPlan;
}

/** Must be called before the graph changes: the plan is independent of it afterwards. */
export function toWholePlan(plan: TradePlan): WholePlan {
  const { amountIn, outPerUnit, costs } = plan;
  const levels = {
    strict: plan.planLevel('strict'),
    loose: plan.planLevel('loose'),
    any: plan.planLevel('any'),
  };
  return { amountIn, outPerUnit, costs, levels, refusal: plan.planRefusal() };
}

export function toTradePlan(whole: WholePlan): TradePlan {
  const { amountIn, outPerUnit, costs, levels, refusal } = whole;
  return {
    ...{ amountIn, outPerUnit, costs },
    planLevel: (name) => levels[name],
    planRefusal: () => refusal,
  };
}
