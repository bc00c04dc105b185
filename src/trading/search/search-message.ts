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
import type { EndTaxes } from '../routing/route-rules.ts';
import type { GivenAmount, PlanLevel, PlannedRouter } from '../routing/trade-plan.ts';
import { receiveRoute, type SentRoute, sendRoute } from './sent-route.ts';

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
