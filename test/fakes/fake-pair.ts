// A V2 pool with given reserves.

import { constantProductKind } from '../../src/amm/constant-product/constant-product-kind.ts';
import { ConstantProductPool } from '../../src/amm/constant-product/constant-product-pool.ts';
import type { Address } from '../../src/model/ids.ts';
import type { GraphPool } from '../../src/trading/graph/pool-graph-pool.ts';
import { poolId } from '../test-ids.ts';
import { buildFakeAddress } from './fake-market.ts';
import { PLAIN_RULES } from './trade-costs.ts';

/** Reserves that a test's usual trade hardly moves. */
export const DEEP = 10n ** 24n;

export function createPair(
  number: number,
  tokens: readonly [Address, Address],
  reserves: readonly [bigint, bigint] = [DEEP, DEEP],
  more: Partial<GraphPool> = {},
): GraphPool {
  const [reserve0, reserve1] = reserves;
  return {
    pool: poolId(buildFakeAddress('dd', number)),
    venue: 'uniswap-v2',
    token0: tokens[0],
    token1: tokens[1],
    feePips: 3000,
    vault: buildFakeAddress('dd', number),
    kind: 'constantProduct',
    terms: null,
    cost: constantProductKind.swapCost(null),
    bytes: PLAIN_RULES.findHopBytes({ kind: 'constantProduct', terms: null }),
    inexact: null,
    curve: new ConstantProductPool({ reserve0, reserve1 }, 3000),
    ...more,
  } as GraphPool;
}
