// Pins that the selectors of contract functions are those of their signatures.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFunctionSelector } from 'viem';
import { AGGREGATE3_SELECTOR } from './multicall.ts';
import * as tokens from './tokens/read-token-metadata.ts';
import * as factories from './venues/factory-pools.ts';
import * as v2 from './venues/uniswap-v2/uniswap-v2.ts';
import * as v3Pool from './venues/uniswap-v3/pool-selectors.ts';
import * as v3 from './venues/uniswap-v3/uniswap-v3.ts';
import * as v4 from './venues/uniswap-v4/uniswap-v4.ts';

test('function selectors are those of their signatures', () => {
  const expected: readonly [string, string][] = [
    ['factory()', factories.FACTORY_SELECTOR],
    ['token0()', factories.TOKEN0_SELECTOR],
    ['token1()', factories.TOKEN1_SELECTOR],
    ['getPair(address,address)', v2.GET_PAIR_SELECTOR],
    ['getReserves()', v2.GET_RESERVES_SELECTOR],
    ['fee()', v3.FEE_SELECTOR],
    ['tickSpacing()', v3Pool.TICK_SPACING_SELECTOR],
    ['getPool(address,address,uint24)', v3Pool.GET_POOL_SELECTOR],
    ['slot0()', v3Pool.SLOT0_SELECTOR],
    ['liquidity()', v3Pool.LIQUIDITY_SELECTOR],
    ['ticks(int24)', v3Pool.TICKS_SELECTOR],
    ['tickBitmap(int16)', v3Pool.TICK_BITMAP_SELECTOR],
    ['poolKeys(bytes25)', v4.POOL_KEYS_SELECTOR],
    ['getSlot0(bytes32)', v4.GET_SLOT0_SELECTOR],
    ['getLiquidity(bytes32)', v4.GET_LIQUIDITY_SELECTOR],
    ['getTickLiquidity(bytes32,int24)', v4.GET_TICK_LIQUIDITY_SELECTOR],
    ['aggregate3((address,bool,bytes)[])', AGGREGATE3_SELECTOR],
    ['symbol()', tokens.SYMBOL_SELECTOR],
    ['name()', tokens.NAME_SELECTOR],
    ['decimals()', tokens.DECIMALS_SELECTOR],
    ['totalSupply()', tokens.TOTAL_SUPPLY_SELECTOR],
    ['balanceOf(address)', tokens.BALANCE_OF_SELECTOR],
  ];
  for (const [signature, selector] of expected) {
    assert.equal(selector, toFunctionSelector(`function ${signature}`), signature);
  }
});
