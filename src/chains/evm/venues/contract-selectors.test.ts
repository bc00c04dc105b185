// Pins that the selectors of contract functions are those of their signatures.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFunctionSelector } from 'viem';
import * as checks from '../check-contracts.ts';
import * as owners from '../pools/read-liquidity-owners.ts';
import { AGGREGATE3_SELECTOR } from '../rpc/multicall.ts';
import { GET_ETH_BALANCE_SELECTOR } from '../tokens/read-holdings.ts';
import * as tokens from '../tokens/read-token-metadata.ts';
import * as balancer from './balancer/balancer-selectors.ts';
import * as curve from './curve/curve-selectors.ts';
import * as pancakeStable from './curve/pancake-stable.ts';
import * as dodo from './dodo/dodo.ts';
import * as euler from './euler-swap/euler-swap.ts';
import * as factories from './factory-pools.ts';
import * as fluid from './fluid/fluid.ts';
import * as fourMeme from './four-meme/four-meme.ts';
import * as infinity from './infinity/infinity.ts';
import * as book from './liquidity-book/pair-selectors.ts';
import * as maverick from './maverick/maverick.ts';
import * as sky from './sky/sky.ts';
import * as pairEntries from './uniswap-v2/pair-entries.ts';
import * as v2 from './uniswap-v2/pair-selectors.ts';
import * as v3Pool from './uniswap-v3/pool-selectors.ts';
import * as rangeEntries from './uniswap-v3/range-entries.ts';
import * as v4Quotes from './uniswap-v4/quote-hooked-pools.ts';
import * as v4 from './uniswap-v4/uniswap-v4.ts';
import * as v4Entries from './uniswap-v4/v4-entries.ts';
import * as v4Storage from './uniswap-v4/v4-storage.ts';

const EXPECTED: readonly [string, string][] = [
  ['getBlockNumber()', owners.GET_BLOCK_NUMBER_SELECTOR],
  ['getCurrentBlockTimestamp()', owners.GET_BLOCK_TIME_SELECTOR],
  ['getNumLocksForToken(address)', owners.LOCK_COUNT_SELECTOR],
  ['tokenLocks(address,uint256)', owners.TOKEN_LOCKS_SELECTOR],
  ['totalLockCountForToken(address)', owners.PINK_COUNT_SELECTOR],
  ['getLocksForToken(address,uint256,uint256)', owners.PINK_LOCKS_SELECTOR],
  ['factory()', factories.FACTORY_SELECTOR],
  ['token0()', factories.TOKEN0_SELECTOR],
  ['token1()', factories.TOKEN1_SELECTOR],
  ['getPair(address,address)', v2.GET_PAIR_SELECTOR],
  ['getReserves()', v2.GET_RESERVES_SELECTOR],
  ['getPool(address,address,bool)', v2.GET_POOL_BY_STABLE_SELECTOR],
  ['stable()', v2.STABLE_SELECTOR],
  ['metadata()', v2.METADATA_SELECTOR],
  ['getFee(address,bool)', v2.GET_FEE_SELECTOR],
  ['stableSwap()', v2.STABLE_SWAP_SELECTOR],
  ['fee()', v3Pool.FEE_SELECTOR],
  ['tickSpacing()', v3Pool.TICK_SPACING_SELECTOR],
  ['getPool(address,address,uint24)', v3Pool.GET_POOL_SELECTOR],
  ['getPool(address,address,int24)', v3Pool.GET_POOL_BY_SPACING_SELECTOR],
  ['poolByPair(address,address)', v3Pool.POOL_BY_PAIR_SELECTOR],
  ['customPoolByPair(address,address,address)', v3Pool.CUSTOM_POOL_SELECTOR],
  ['globalState()', v3Pool.GLOBAL_STATE_SELECTOR],
  ['tickTable(int16)', v3Pool.TICK_TABLE_SELECTOR],
  ['swapFeeUnits()', v3Pool.SWAP_FEE_UNITS_SELECTOR],
  ['tickDistance()', v3Pool.TICK_DISTANCE_SELECTOR],
  ['getPoolState()', v3Pool.POOL_STATE_SELECTOR],
  ['slot0()', v3Pool.SLOT0_SELECTOR],
  ['liquidity()', v3Pool.LIQUIDITY_SELECTOR],
  ['ticks(int24)', v3Pool.TICKS_SELECTOR],
  ['tickBitmap(int16)', v3Pool.TICK_BITMAP_SELECTOR],
  ['poolKeys(bytes25)', v4.POOL_KEYS_SELECTOR],
  ['getSlot0(bytes32)', v4Storage.GET_SLOT0_SELECTOR],
  [
    'quoteExactInputSingle(((address,address,uint24,int24,address),bool,uint128,bytes))',
    v4Quotes.QUOTE_SELECTOR,
  ],
  ['getLiquidity(bytes32)', v4.GET_LIQUIDITY_SELECTOR],
  ['getTickLiquidity(bytes32,int24)', v4.GET_TICK_LIQUIDITY_SELECTOR],
  ['aggregate3((address,bool,bytes)[])', AGGREGATE3_SELECTOR],
  ['allPairsLength()', pairEntries.ALL_PAIRS_LENGTH_SELECTOR],
  ['feeAmountTickSpacing(uint24)', rangeEntries.TICK_SPACING_OF_FEE_SELECTOR],
  ['getAmountOut(uint256,uint256,uint256)', pairEntries.GET_AMOUNT_OUT_SELECTOR],
  ['get_coins(address)', curve.GET_COINS_SELECTOR],
  ['get_underlying_coins(address)', curve.GET_UNDERLYING_COINS_SELECTOR],
  ['is_meta(address)', curve.IS_META_SELECTOR],
  ['get_pool_asset_types(address)', curve.ASSET_TYPES_SELECTOR],
  ['balances(uint256)', curve.BALANCES_SELECTOR],
  ['stored_rates()', curve.STORED_RATES_SELECTOR],
  ['A_precise()', curve.AMP_SELECTOR],
  ['future_A()', curve.FUTURE_AMP_SELECTOR],
  ['offpeg_fee_multiplier()', curve.OFFPEG_SELECTOR],
  ['RATES(uint256)', curve.RATES_SELECTOR],
  ['A()', curve.PLAIN_AMP_SELECTOR],
  ['admin_fee()', curve.ADMIN_FEE_SELECTOR],
  ['is_killed()', curve.IS_KILLED_SELECTOR],
  ...[
    ['int128', curve.STABLE_SELECTORS] as const,
    ['uint256', curve.CRYPTO_SELECTORS] as const,
  ].flatMap(([index, selectors]): [string, string][] => [
    [`get_dy(${index},${index},uint256)`, selectors.getDy],
    [`get_dy_underlying(${index},${index},uint256)`, selectors.getDyUnderlying],
    [`exchange(${index},${index},uint256,uint256)`, selectors.exchange],
    [`exchange_underlying(${index},${index},uint256,uint256)`, selectors.exchangeUnderlying],
  ]),
  [
    'exchange(address[11],uint256[5][5],uint256,uint256,address[5],address)',
    curve.ROUTER_EXCHANGE_SELECTOR,
  ],
  ['coins(uint256)', pancakeStable.COIN_SELECTOR],
  ['getPairInfo(address,address)', pancakeStable.PAIR_INFO_SELECTOR],
  ['getThreePoolPairInfo(address,address)', pancakeStable.TRIPLE_INFO_SELECTOR],
  ['constantsView()', fluid.FLUID_CONSTANTS_SELECTOR],
  ['getDexAddress(uint256)', fluid.FLUID_ADDRESS_SELECTOR],
  ['estimateSwapIn(address,bool,uint256,uint256)', fluid.ESTIMATE_IN_SELECTOR],
  ['swapIn(bool,uint256,uint256,address)', fluid.SWAP_IN_SELECTOR],
  ['getTokenInfo(address)', fourMeme.TOKEN_INFO_SELECTOR],
  ['_tokenInfos(address)', fourMeme.CURVE_FACTS_SELECTOR],
  ['tryBuy(address,uint256,uint256)', fourMeme.TRY_BUY_SELECTOR],
  ['trySell(address,uint256)', fourMeme.TRY_SELL_SELECTOR],
  ['buyTokenAMAP(address,address,uint256,uint256)', fourMeme.BUY_SELECTOR],
  ['sellToken(uint256,address,uint256,uint256,uint256,address)', fourMeme.SELL_SELECTOR],
  ['previewSwapExactIn(address,address,uint256)', sky.PREVIEW_IN_SELECTOR],
  ['swapExactIn(address,address,uint256,uint256,address,uint256)', sky.SWAP_IN_SELECTOR],
  ...Object.entries(sky.COIN_SELECTORS).map(([name, selector]): [string, string] => [
    `${name}()`,
    selector,
  ]),
  ['getAssets()', euler.GET_ASSETS_SELECTOR],
  ['getParams()', euler.GET_PARAMS_SELECTOR],
  ['poolByEulerAccount(address)', euler.POOL_BY_ACCOUNT_SELECTOR],
  ['deployedPools(address)', euler.DEPLOYED_POOLS_SELECTOR],
  ['computeQuote(address,address,uint256,bool)', euler.COMPUTE_QUOTE_SELECTOR],
  ['getLBPairInformation(address,address,uint256)', book.PAIR_INFORMATION_SELECTOR],
  ['getAllLBPairs(address,address)', book.ALL_PAIRS_SELECTOR],
  ['getFactory()', book.PAIR_SELECTORS.factory],
  ['getTokenX()', book.PAIR_SELECTORS.tokenX],
  ['getTokenY()', book.PAIR_SELECTORS.tokenY],
  ['getBinStep()', book.PAIR_SELECTORS.binStep],
  ['factory()', book.OLD_PAIR_SELECTORS.factory],
  ['tokenX()', book.OLD_PAIR_SELECTORS.tokenX],
  ['tokenY()', book.OLD_PAIR_SELECTORS.tokenY],
  ['feeParameters()', book.OLD_PAIR_SELECTORS.binStep],
  ...Object.entries(book.STATE_SELECTORS).map(([name, selector]): [string, string] => [
    `${name}()`,
    selector,
  ]),
  ['getBin(uint24)', book.GET_BIN_SELECTOR],
  ['getNextNonEmptyBin(bool,uint24)', book.NEXT_BIN_SELECTOR],
  ['getPoolId()', balancer.GET_POOL_ID_SELECTOR],
  ['getPoolTokens(bytes32)', balancer.GET_POOL_TOKENS_SELECTOR],
  ['isPoolFromFactory(address)', balancer.IS_POOL_FROM_FACTORY_SELECTOR],
  ['getNormalizedWeights()', balancer.GET_WEIGHTS_SELECTOR],
  ['getSwapFeePercentage()', balancer.GET_SWAP_FEE_SELECTOR],
  ['getPausedState()', balancer.GET_PAUSED_STATE_SELECTOR],
  ['poolIdToPoolKey(bytes32)', infinity.POOL_KEY_SELECTOR],
  ['_BASE_TOKEN_()', dodo.BASE_TOKEN_SELECTOR],
  ['_QUOTE_TOKEN_()', dodo.QUOTE_TOKEN_SELECTOR],
  ['getDODOPool(address,address)', dodo.LIST_POOLS_SELECTOR],
  ['tokenA()', maverick.TOKEN_A_SELECTOR],
  ['tokenB()', maverick.TOKEN_B_SELECTOR],
  ['isFactoryPool(address)', maverick.IS_FACTORY_POOL_SELECTOR],
  ['getPair(address,address,bool)', v2.GET_PAIR_BY_STABLE_SELECTOR],
  ['WETH()', pairEntries.ROUTER_WRAPPED_SELECTOR],
  ['WETH9()', rangeEntries.QUOTER_WRAPPED_SELECTOR],
  ['poolManager()', v4Entries.POOL_MANAGER_SELECTOR],
  ['DOMAIN_SEPARATOR()', checks.DOMAIN_SEPARATOR_SELECTOR],
  ['getBlockNumber()', checks.GET_BLOCK_NUMBER_SELECTOR],
  ['getEthBalance(address)', GET_ETH_BALANCE_SELECTOR],
  ['symbol()', tokens.SYMBOL_SELECTOR],
  ['name()', tokens.NAME_SELECTOR],
  ['decimals()', tokens.DECIMALS_SELECTOR],
  ['totalSupply()', tokens.TOTAL_SUPPLY_SELECTOR],
  ['balanceOf(address)', tokens.BALANCE_OF_SELECTOR],
];

test('function selectors are those of their signatures', () => {
  for (const [signature, selector] of EXPECTED) {
    assert.equal(selector, toFunctionSelector(`function ${signature}`), signature);
  }
});
