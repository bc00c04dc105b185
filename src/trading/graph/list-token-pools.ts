// Lists a token's pools for its readers: those that a trade would most likely use, and those that
// must be read because they are not complete or their fees are not certain.

import { isFeeCertain } from '../../amm/transfer-fee.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolGraph } from './pool-graph.ts';
import type { GraphPool } from './pool-graph-pool.ts';

/** Limits, because anyone can create thousands of pools of a token. */
const LOOKED_AT_MAX = 2_000;
const NEIGHBOURS_MAX = 5;
const POOLS_PER_PAIR_MAX = 4;
const PARTIAL_MAX = 50;

function listPair(graph: PoolGraph, asset: Address, other: Address): PoolId[] {
  return [...(graph.neighbours(asset).get(other) ?? [])].slice(0, POOLS_PER_PAIR_MAX);
}

/**
 * Its pools with the assets that have the most markets, and theirs with trusted assets. They are
 * probed when somebody asks about the token: routes lead only through tokens that were probed.
 */
export function listAskedPools(
  graph: PoolGraph,
  token: Address,
  trusted: ReadonlySet<Address>,
): PoolId[] {
  const asset = graph.toAsset(token);
  const others = [...graph.neighbours(asset).keys()]
    .slice(0, LOOKED_AT_MAX)
    .map((other) => ({ other, size: graph.neighbours(other).size }))
    .sort((left, right) => right.size - left.size)
    .slice(0, NEIGHBOURS_MAX)
    .map(({ other }) => other);
  const own = others.flatMap((other) => listPair(graph, asset, other));
  const further = others
    .filter((other) => !trusted.has(other))
    .flatMap((other) => [...trusted].flatMap((known) => listPair(graph, other, known)).slice(0, 2));
  return [...new Set([...own, ...further])];
}

export function isPartial({ inexact, transferFees }: GraphPool, block: number): boolean {
  return inexact === 'ticks' || !isFeeCertain(transferFees, block);
}

/** Those that are not complete, or whose tokens may take other fees, as of a block. */
export function listPartialPools(graph: PoolGraph, token: Address, block: number): PoolId[] {
  const partial: PoolId[] = [];
  let count = 0;
  for (const ids of graph.neighbours(graph.toAsset(token)).values()) {
    for (const id of ids) {
      count += 1;
      if (count > LOOKED_AT_MAX || partial.length >= PARTIAL_MAX) return partial;
      const pool = graph.get(id);
      if (pool !== undefined && isPartial(pool, block)) partial.push(id);
    }
  }
  return partial;
}
