// A V2 pool with given reserves.

import { ConstantProductPool } from '../../src/amm/constant-product/constant-product-pool.ts';
import type { Address } from '../../src/model/ids.ts';
import type { PoolTerms } from '../../src/model/pool.ts';
import type { GraphPool } from '../../src/trading/graph/pool-graph-pool.ts';
import { poolId } from '../test-ids.ts';
import { buildFakeAddress } from './fake-market.ts';
import { PLAIN_RULES } from './trade-costs.ts';

/** Reserves that a test's usual trade hardly moves. */
export const DEEP = 10n ** 24n;

const TERMS: PoolTerms = { kind: 'constantProduct', terms: null };

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
    ...TERMS,
    cost: PLAIN_RULES.findSwapCost(TERMS),
    bytes: PLAIN_RULES.findHopBytes(TERMS),
    inexact: null,
    curve: new ConstantProductPool({ reserve0, reserve1 }, 3000),
    ...more,
  } as GraphPool;
}
