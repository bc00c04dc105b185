// The best division among the pools of a field, with what each pool is worth to it.

import type { RouteField } from './route-field.ts';
import { RouteFlow } from './route-flow.ts';
import { type PoolPart, toPoolParts } from './route-parts.ts';
import { FREE, type RouteCost } from './route-single.ts';
import { POOL_EVALUATIONS, type SearchWork } from './search-work.ts';
import type { RouteRoom } from './transaction-room.ts';

/** What a search was asked for. */
export interface RouteSearch {
  readonly amountIn: bigint;
  readonly hopCountMax: number;
  readonly isDivided: boolean;
  readonly room: RouteRoom | null;
  readonly cost: RouteCost;
  readonly work: SearchWork;
}

/** What it is thought to pay, gross and net of what its pools cost. */
export interface Division {
  readonly field: RouteField;
  readonly flow: RouteFlow;
  readonly parts: readonly PoolPart[];
  readonly amountOut: number;
  readonly net: number;
}

export function toCost({ edge }: PoolPart, { cost }: RouteSearch): number {
  return cost === FREE ? 0 : Number(cost([edge]));
}

/** Null where the two assets are not connected. Divides faster after one with a few more pools. */
export function divide(field: RouteField, search: RouteSearch, before?: Division): Division | null {
  const flow = new RouteFlow(field, search.hopCountMax, search.work);
  if (!flow.divide(Number(search.amountIn), before?.flow)) return null;
  const parts = toPoolParts(field, flow, search.hopCountMax);
  search.work.add(field.edges.length * POOL_EVALUATIONS);
  const { amountOut } = flow;
  const net = parts.reduce((left, part) => left - toCost(part, search), amountOut);
  return { field, flow, parts, amountOut, net };
}
