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
import type { BestRoute } from '../routing/route.ts';
import type { EndTaxes } from '../routing/route-rules.ts';
import type { RouteHop } from '../routing/route-swaps.ts';
import type { GivenAmount, PlanLevel, PlannedRouter } from '../routing/trade-plan.ts';

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

/** A hop without what its pool already contains. */
interface SentHop extends Omit<RouteHop, 'pool' | 'tokenIn' | 'tokenOut'> {
  readonly number: number;
}

type Sent<Part> = Omit<Part, 'hops'> & { readonly hops: readonly SentHop[] };

interface SentRoute extends Omit<BestRoute, 'strands' | 'legs'> {
  readonly strands: readonly Sent<BestRoute['strands'][number]>[];
  readonly legs: readonly Sent<BestRoute['legs'][number]>[];
}

type SentSearch =
  | { readonly kind: 'found'; readonly found: Omit<TaxedRoute, 'route'> & { route: SentRoute } }
  | { readonly kind: 'none'; readonly reason: NoRouteReason };

export interface SearchMessage {
  readonly job: number;
  /** In evaluations. */
  readonly work: number;
  readonly search: SentSearch;
}

function sendHop(hop: RouteHop, findNumber: (pool: GraphPool) => number): SentHop {
  const { pool, tokenIn: _in, tokenOut: _out, ...rest } = hop;
  return { ...rest, number: findNumber(pool) };
}

function receiveHop(sent: SentHop, findPool: (number: number) => GraphPool): RouteHop {
  const { number, ...rest } = sent;
  const pool = findPool(number);
  const [tokenIn, tokenOut] = sent.zeroForOne
    ? [pool.token0, pool.token1]
    : [pool.token1, pool.token0];
  return { ...rest, pool, tokenIn, tokenOut };
}

export function sendSearch(
  search: TradeSearch,
  findNumber: (pool: GraphPool) => number,
): SentSearch {
  if (search.kind === 'none') return search;
  const { route, ...found } = search.found;
  const send = <Part extends { readonly hops: readonly RouteHop[] }>(part: Part): Sent<Part> => ({
    ...part,
    hops: part.hops.map((hop) => sendHop(hop, findNumber)),
  });
  const sent = { ...route, strands: route.strands.map(send), legs: route.legs.map(send) };
  return { kind: 'found', found: { ...found, route: sent } };
}

export function receiveSearch(
  sent: SentSearch,
  findPool: (number: number) => GraphPool,
): TradeSearch {
  if (sent.kind === 'none') return sent;
  const { route, ...found } = sent.found;
  const receive = <Part extends { readonly hops: readonly SentHop[] }>(part: Part) => ({
    ...part,
    hops: part.hops.map((hop) => receiveHop(hop, findPool)),
  });
  const received = {
    ...route,
    strands: route.strands.map(receive),
    legs: route.legs.map(receive),
  };
  return { kind: 'found', found: { ...found, route: received } };
}
