// A division: the best split of the input among the pools of a field, with the value of each pool.

import type { RouteField } from './route-field.ts';
import { RouteFlow } from './route-flow.ts';
import { buildPoolParts, type PoolPart } from './route-parts.ts';
import { FREE, type RouteCost } from './route-single.ts';
import { POOL_EVALUATIONS, type SearchWork } from './search-work.ts';
import type { RouteRoom } from './transaction-room.ts';

/** The request of a search. */
export interface RouteSearch {
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
export interface Division {
  readonly field: RouteField;
  readonly flow: RouteFlow;
  readonly parts: readonly PoolPart[];
  readonly amountOut: number;
  readonly net: number;
}

export function priceEdge({ edge }: PoolPart, { cost }: RouteSearch): number {
  return cost === FREE ? 0 : Number(cost([edge]));
}

/**
 * Null if the two assets are not connected. `before`, a division with a few more pools, makes it
 * faster.
 */
export function divide(field: RouteField, search: RouteSearch, before?: Division): Division | null {
  const flow = new RouteFlow(field, search.hopCountMax, search.work);
  if (!flow.divide(Number(search.amountIn), before?.flow)) return null;
  const parts = buildPoolParts(field, flow, search.hopCountMax);
  search.work.add(field.edges.length * POOL_EVALUATIONS);
  const { amountOut } = flow;
  const net = parts.reduce((left, part) => left - priceEdge(part, search), amountOut);
  return { field, flow, parts, amountOut, net };
}
