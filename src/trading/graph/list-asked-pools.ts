// Lists the pools that a trade of a token would most likely use. They are probed when somebody asks
// about the token, because routes lead only through tokens that were probed.

import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolGraph } from './pool-graph.ts';

/** Limits, because anyone can create thousands of pools of a token. */
const LOOKED_AT_MAX = 2_000;
const NEIGHBOURS_MAX = 5;
const POOLS_PER_PAIR_MAX = 4;

function listPair(graph: PoolGraph, asset: Address, other: Address): PoolId[] {
  return [...(graph.neighbours(asset).get(other) ?? [])].slice(0, POOLS_PER_PAIR_MAX);
}

/** Its pools with the assets that have the most markets, and theirs with trusted assets. */
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
