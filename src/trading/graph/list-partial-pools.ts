// Lists the pools of a token that are not complete.

import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolGraph } from './pool-graph.ts';

/** A limit, because anyone can create thousands of pools of a token. */
const LOOKED_AT_MAX = 2_000;
const LISTED_MAX = 50;

export function listPartialPools(graph: PoolGraph, token: Address): PoolId[] {
  const partial: PoolId[] = [];
  let count = 0;
  for (const ids of graph.neighbours(graph.toAsset(token)).values()) {
    for (const id of ids) {
      count += 1;
      if (count > LOOKED_AT_MAX || partial.length >= LISTED_MAX) return partial;
      if (graph.get(id)?.inexact === 'ticks') partial.push(id);
    }
  }
  return partial;
}
