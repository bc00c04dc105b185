// Lists the pools of a token that must be read: those that are not complete, and those whose tokens
// may take other fees of transfers by now.

import { isFeeCertain } from '../../amm/transfer-fee.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolGraph } from './pool-graph.ts';
import type { GraphPool } from './pool-graph-pool.ts';

/** A limit, because anyone can create thousands of pools of a token. */
const LOOKED_AT_MAX = 2_000;
const LISTED_MAX = 50;

export function isPartial({ inexact, transferFees }: GraphPool, block: number): boolean {
  return inexact === 'ticks' || !isFeeCertain(transferFees, block);
}

/** As of a block. */
export function listPartialPools(graph: PoolGraph, token: Address, block: number): PoolId[] {
  const partial: PoolId[] = [];
  let count = 0;
  for (const ids of graph.neighbours(graph.toAsset(token)).values()) {
    for (const id of ids) {
      count += 1;
      if (count > LOOKED_AT_MAX || partial.length >= LISTED_MAX) return partial;
      const pool = graph.get(id);
      if (pool !== undefined && isPartial(pool, block)) partial.push(id);
    }
  }
  return partial;
}
