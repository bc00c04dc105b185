// Known contracts of the EVM chains: factories, routers, wrapped coins, stable assets and anchor
// pools. The addresses come from the SDKs of Uniswap, PancakeSwap and Sushi and from the
// repositories of QuickSwap, Aerodrome, Velodrome, Camelot, Curve and Balancer; a test recomputes
// the anchor pools from factory, tokens and fee.

import { BUILT_IN_CHAINS, type BuiltInSlug } from '../../../../model/chain.ts';
import { COIN_VENUES } from './coin-venues.ts';
import { routerAt, uniswapV2, uniswapV3, uniswapV4, v2Fork, v2Like, v3Fork, v3Like } from './deployment-lines.ts';
import type { EvmDeployment, RouterLine, VenueRouterKind } from './evm-deployment.ts';
import { evmAddress, evmPool } from '../evm-ids.ts';
import { listV2Forks, listV3Forks } from './fork-factories.ts';

// The routers of exchanges other than Uniswap, by chain. A `Router02` stands with its fork in
// `deployments.ts`. The addresses come from the repositories of Aerodrome, Velodrome, Curve and
// PancakeSwap and, for QuickSwap and Camelot, from public integrations.

/** The router of one venue. */
function routerOf(venue: string, kind: VenueRouterKind, address: string): RouterLine {
  return { name: venue, kind, address: evmAddress(address), venues: [venue] };
}

/** PancakeSwap's SmartRouter, for its pairs and pools. */
function pancakeRouter(address: string): RouterLine {
  const venues = ['pancakeswap-v2', 'pancakeswap-v3'];
  return { name: 'pancakeswap', kind: 'smart', address: evmAddress(address), venues };
}

function curveRouter(address: string): RouterLine {
  return routerOf('curve', 'curve', address);
}

const ROUTERS = {
  ethereum: [
    pancakeRouter('0x13f4ea83d0bd40e75c8222255bc855a974568dd4'),
    curveRouter('0x45312ea0eff7e09c83cbe249fa1d7598c4c8cd4e'),
  ],
  base: [
    pancakeRouter('0x678aa4bf4e210cf2166753e054d5b7c31cc7fa86'),
    routerOf('aerodrome-v2', 'solidly', '0xcf77a3ba9a5ca399b7c97c74d54e5b1beb874e43'),
    routerOf('aerodrome-slipstream', 'slipstream', '0xbe6d8f0d05cc4be24d5167a3ef062215be6d18a5'),
    routerOf('aerodrome-slipstream-2', 'slipstream', '0xcbbb8035cac7d4b3ca7abb74cf7bdf900215ce0d'),
    // Aerodrome's list of deployments has it under "Gauges V3", with the third factory of
    // `deployments.ts`; others who called its factory() say the same (not called from here).
    routerOf('aerodrome-slipstream-3', 'slipstream', '0x698cb2b6dd822994581fea6ea4fc755d1363a92f'),
    curveRouter('0x4f37a9d177470499a2dd084621020b023fcffc1f'),
  ],
  arbitrum: [
    pancakeRouter('0x32226588378236fd0c7c4053999f88ac0e5cac77'),
    routerOf('camelot-v2', 'camelot', '0xc873fecbd354f5a56e00e710b90ef4201db2448d'),
    routerOf('camelot-v3', 'algebra', '0x1f721e2e82f6676fce4ea07a5958cf098d339e18'),
    curveRouter('0x2191718cd32d02b8e60badffea33e4b5dd9a0a0d'),
  ],
  optimism: [
    routerOf('velodrome-v2', 'solidly', '0xa062ae8a9c5e11aaa026fc2670b0d65ccc8b2858'),
    routerOf('velodrome-slipstream', 'slipstream', '0x0792a633f0c19c351081cf4b211f68f79bcc9676'),
    routerOf('velodrome-slipstream-2', 'slipstream', '0xba3aee516399388c779463183d00bb579f5041ca'),
    curveRouter('0x0dcded3545d565ba3b19e683431381007245d983'),
  ],
  polygon: [
    routerOf('quickswap-v3', 'algebra', '0xf5b509bb0909a69b1c207e495f687a596c168e12'),
    curveRouter('0x0dcded3545d565ba3b19e683431381007245d983'),
  ],
  bsc: [
    pancakeRouter('0x13f4ea83d0bd40e75c8222255bc855a974568dd4'),
    curveRouter('0xa72c85c258a81761433b4e8da60505fe3dd551cc'),
  ],
} as const;

function listVenueRouters(chain: keyof typeof ROUTERS): Pick<EvmDeployment, 'routers'> {
  return { routers: ROUTERS[chain] };
}

const MULTICALL3 = evmAddress('0xca11bde05977b3631167028862be2a173976ca11');
const PERMIT2 = evmAddress('0x000000000022d473030f116ddee9f6b43ac78ba3');

const ETHEREUM: EvmDeployment = {
  chain: 'ethereum',
  chainId: 1,
  native: BUILT_IN_CHAINS.ethereum.native,
  wrapped: evmAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'),
  wrappedEmitsTransfers: false,
  stables: [
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', // USDC
    '0xdac17f958d2ee523a2206206994597c13d831ec7', // USDT
    '0x6b175474e89094c44da98b954eedeac495271d0f', // DAI
    '0xdc035d45d973e3ec169d2276ddab16f1e407384f', // USDS
  ].map(evmAddress),
  anchorPools: [
    '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640', // USDC 0.05 %
    '0x11b815efb8f581194ae79006d24e0d814b7697f6', // USDT 0.05 %
    '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc', // USDC V2
  ].map(evmPool),
  v2: [
    uniswapV2({
      factory: '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
      periphery: '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
    }),
    v2Fork('sushiswap-v2', 3000, {
      factory: '0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac',
      periphery: '0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f',
    }),
    v2Fork('pancakeswap-v2', 2500, {
      factory: '0x1097053fd2ea711dad45caccc45eff7548fcb362',
      periphery: '0xeff92a263d31888d860bd50809a8d171709b7b1c',
    }),
    ...listV2Forks('ethereum'),
  ],
  v3: [
    uniswapV3({
      factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      periphery: '0x61ffe014ba17989e743c5f6cb21bf9697530b21e',
    }),
    v3Fork('sushiswap-v3', {
      factory: '0xbaceb8ec6b9355dfc0269c18bac9d6e2bdc29c4f',
      periphery: '0x64e8802fe490fa7cc61d3463958199161bb608a7',
    }),
    v3Fork('pancakeswap-v3', {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      periphery: '0xb048bbc1ee6b733fffcfb9e9cef7375518e25997',
    }),
    ...listV3Forks('ethereum'),
  ],
  v4: uniswapV4({
    poolManager: '0x000000000004444c5dc75cb358380d2e3de08a90',
    positionManager: '0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e',
    stateView: '0x7ffe42c4a5deea5b0fec41c94c136cf115597227',
    quoter: '0x52f0e24d1c21c8a0cb1e5a5dd6198556bd9e1203',
  }),
  ...COIN_VENUES.ethereum,
  ...listVenueRouters('ethereum'),
  universalRouter: routerAt('0x66a9893cc07d91d95644aedd05d03f95e1dba8af', '2.0'),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  finalityDepth: 96,
};

const BASE: EvmDeployment = {
  chain: 'base',
  chainId: 8453,
  native: BUILT_IN_CHAINS.base.native,
  wrapped: evmAddress('0x4200000000000000000000000000000000000006'),
  wrappedEmitsTransfers: false,
  stables: [
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', // USDC
    '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca', // USDbC
    '0x50c5725949a6f0c72e6c4a641f24049a917db0cb', // DAI
  ].map(evmAddress),
  anchorPools: [
    '0xd0b53d9277642d899df5c87a3966a349a798f224', // USDC 0.05 %
    '0x6c561b446416e1a00e8e93e221854d6ea4171372', // USDC 0.3 %
  ].map(evmPool),
  v2: [
    uniswapV2({
      factory: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      periphery: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    }),
    v2Fork('sushiswap-v2', 3000, {
      factory: '0x71524b4f93c58fcbf659783284e38825f0622859',
      periphery: '0x6bded42c6da8fbf0d2ba55b2fa120c5e0c8d7891',
    }),
    v2Fork('pancakeswap-v2', 2500, {
      factory: '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
      periphery: '0x8cfe327cec66d1c090dd72bd0ff11d690c33a2eb',
    }),
    v2Like('aerodrome-v2', 'solidly', '0x420dd381b31aef6683db6b902084cb0ffece40da'),
    ...listV2Forks('base'),
  ],
  v3: [
    uniswapV3({
      factory: '0x33128a8fc17869897dce68ed026d694621f6fdfd',
      periphery: '0x3d4e44eb1374240ce5f1b871ab261cd16335b76a',
    }),
    v3Fork('sushiswap-v3', {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      periphery: '0xb1e835dc2785b52265711e17fccb0fd018226a6e',
    }),
    v3Fork('pancakeswap-v3', {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      periphery: '0xb048bbc1ee6b733fffcfb9e9cef7375518e25997',
    }),
    v3Like('aerodrome-slipstream', 'slipstream', '0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a'),
    v3Like('aerodrome-slipstream-2', 'slipstream', '0xade65c38cd4849adba595a4323a8c7ddfe89716a'),
    v3Like('aerodrome-slipstream-3', 'slipstream', '0xf8f2eb4940cfe7d13603dddd87f123820fc061ef'),
    ...listV3Forks('base'),
  ],
  v4: uniswapV4({
    poolManager: '0x498581ff718922c3f8e6a244956af099b2652b2b',
    positionManager: '0x7c5f5a4bbd8fd63184577525326123b519429bdc',
    stateView: '0xa3c0c9b65bad0b08107aa264b0f3db444b867a71',
    quoter: '0x0d5e0f971ed27fbff6c2837bf31316121532048d',
  }),
  ...COIN_VENUES.base,
  ...listVenueRouters('base'),
  universalRouter: routerAt('0x6ff5693b99212da76ad316178a184ab56d299b43', '2.0'),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  // Forty minutes of blocks every 200 ms.
  finalityDepth: 12_000,
};

const ARBITRUM: EvmDeployment = {
  chain: 'arbitrum',
  chainId: 42161,
  native: BUILT_IN_CHAINS.arbitrum.native,
  wrapped: evmAddress('0x82af49447d8a07e3bd95bd0d56f35241523fbab1'),
  wrappedEmitsTransfers: true,
  stables: [
    '0xaf88d065e77c8cc2239327c5edb3a432268e5831', // USDC
    '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8', // USDC.e
    '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', // USDT
    '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', // DAI
  ].map(evmAddress),
  anchorPools: [
    '0xc6962004f452be9203591991d15f6b388e09e8d0', // USDC 0.05 %
    '0xc31e54c7a869b9fcbecc14363cf510d1c41fa443', // USDC.e 0.05 %
    '0x641c00a822e8b671738d32a431a4fb6074e5c79d', // USDT 0.05 %
  ].map(evmPool),
  v2: [
    uniswapV2({
      factory: '0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9',
      periphery: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    }),
    v2Fork('sushiswap-v2', 3000, {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      periphery: '0x1b02da8cb0d097eb8d57a175b88c7d8b47997506',
    }),
    v2Fork('pancakeswap-v2', 2500, {
      factory: '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
      periphery: '0x8cfe327cec66d1c090dd72bd0ff11d690c33a2eb',
    }),
    v2Like('camelot-v2', 'camelot', '0x6eccab422d763ac031210895c81787e87b43a652'),
    ...listV2Forks('arbitrum'),
  ],
  v3: [
    uniswapV3({
      factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      periphery: '0x61ffe014ba17989e743c5f6cb21bf9697530b21e',
    }),
    v3Fork('sushiswap-v3', {
      factory: '0x1af415a1eba07a4986a52b6f2e7de7003d82231e',
      periphery: '0x0524e833ccd057e4d7a296e3aaab9f7675964ce1',
    }),
    v3Fork('pancakeswap-v3', {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      periphery: '0xb048bbc1ee6b733fffcfb9e9cef7375518e25997',
    }),
    v3Like(
      'camelot-v3',
      'algebraDirectional',
      '0x1a3c9b1d2f0529d97f2afc5136cc23e58f1fd35b',
      '0x0fc73040b26e9bc8514fa028d998e73a254fa76e',
    ),
    ...listV3Forks('arbitrum'),
  ],
  v4: uniswapV4({
    poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    positionManager: '0xd88f38f930b7952f2db2432cb002e7abbf3dd869',
    stateView: '0x76fd297e2d437cd7f76d50f01afe6160f86e9990',
    quoter: '0x3972c00f7ed4885e145823eb7c655375d275a1c5',
  }),
  ...COIN_VENUES.arbitrum,
  ...listVenueRouters('arbitrum'),
  universalRouter: routerAt('0xa51afafe0263b40edaef0df8781ea9aa03e381a3', '2.0'),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'arbitrum',
  finalityDepth: 6000,
};

const OPTIMISM: EvmDeployment = {
  chain: 'optimism',
  chainId: 10,
  native: BUILT_IN_CHAINS.optimism.native,
  wrapped: evmAddress('0x4200000000000000000000000000000000000006'),
  wrappedEmitsTransfers: false,
  stables: [
    '0x0b2c639c533813f4aa9d7837caf62653d097ff85', // USDC
    '0x7f5c764cbc14f9669b88837ca1490cca17c31607', // USDC.e
    '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58', // USDT
    '0x01bff41798a0bcf287b996046ca68b395dbc1071', // USDT0
    '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', // DAI
  ].map(evmAddress),
  anchorPools: [
    '0x1fb3cf6e48f1e7b10213e7b6d87d4c073c7fdb7b', // USDC 0.05 %
    '0x85149247691df622eaf1a8bd0cafd40bc45154a9', // USDC.e 0.05 %
  ].map(evmPool),
  v2: [
    uniswapV2({
      factory: '0x0c3c1c532f1e39edf36be9fe0be1410313e074bf',
      periphery: '0x4a7b5da61326a6379179b40d00f57e5bbdc962c2',
    }),
    v2Fork('sushiswap-v2', 3000, {
      factory: '0xfbc12984689e5f15626bad03ad60160fe98b303c',
      periphery: '0x2abf469074dc0b54d793850807e6eb5faf2625b1',
    }),
    v2Like('velodrome-v2', 'solidly', '0xf1046053aa5682b4f9a81b5481394da16be5ff5a'),
    ...listV2Forks('optimism'),
  ],
  v3: [
    uniswapV3({
      factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      periphery: '0x61ffe014ba17989e743c5f6cb21bf9697530b21e',
    }),
    v3Fork('sushiswap-v3', {
      factory: '0x9c6522117e2ed1fe5bdb72bb0ed5e3f2bde7dbe0',
      periphery: '0xb1e835dc2785b52265711e17fccb0fd018226a6e',
    }),
    v3Like('velodrome-slipstream', 'slipstream', '0xcc0bddb707055e04e497ab22a59c2af4391cd12f'),
    v3Like('velodrome-slipstream-2', 'slipstream', '0xe13dd1fba721aa81a1826d9523ac9bc7d260c879'),
    ...listV3Forks('optimism'),
  ],
  v4: uniswapV4({
    poolManager: '0x9a13f98cb987694c9f086b1f5eb990eea8264ec3',
    positionManager: '0x3c3ea4b57a46241e54610e5f022e5c45859a1017',
    stateView: '0xc18a3169788f4f75a170290584eca6395c75ecdb',
    quoter: '0x1f3131a13296fb91c90870043742c3cdbff1a8d7',
  }),
  ...COIN_VENUES.optimism,
  ...listVenueRouters('optimism'),
  universalRouter: routerAt('0x851116d9223fabed8e56c0e6b8ad0c31d98b3507', '2.0'),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  finalityDepth: 1200,
};

const POLYGON: EvmDeployment = {
  chain: 'polygon',
  chainId: 137,
  native: BUILT_IN_CHAINS.polygon.native,
  wrapped: evmAddress('0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270'),
  wrappedEmitsTransfers: false,
  stables: [
    '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', // USDC
    '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', // USDC.e
    '0xc2132d05d31c914a87c6611c10748aeb04b58e8f', // USDT
    '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063', // DAI
  ].map(evmAddress),
  anchorPools: [
    '0xb6e57ed85c4c9dbfef2a68711e9d6f36c56e0fcb', // USDC 0.05 %
    '0xa374094527e1673a86de625aa59517c5de346d32', // USDC.e 0.05 %
    '0x6e7a5fafcec6bb1e78bae2a1f0b612012bf14827', // USDC.e QuickSwap V2
  ].map(evmPool),
  v2: [
    uniswapV2({
      factory: '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c',
      periphery: '0xedf6066a2b290c185783862c7f4776a2c8077ad1',
    }),
    v2Fork('quickswap-v2', 3000, {
      factory: '0x5757371414417b8c6caad45baef941abc7d3ab32',
      periphery: '0xa5e0829caced8ffdd4de3c43696c57f7d7a678ff',
    }),
    v2Fork('sushiswap-v2', 3000, {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      periphery: '0x1b02da8cb0d097eb8d57a175b88c7d8b47997506',
    }),
    ...listV2Forks('polygon'),
  ],
  v3: [
    uniswapV3({
      factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      periphery: '0x61ffe014ba17989e743c5f6cb21bf9697530b21e',
    }),
    v3Fork('sushiswap-v3', {
      factory: '0x917933899c6a5f8e37f31e19f92cdbff7e8ff0e2',
      periphery: '0xb1e835dc2785b52265711e17fccb0fd018226a6e',
    }),
    v3Like(
      'quickswap-v3',
      'algebra',
      '0x411b0facc3489691f28ad58c47006af5e3ab3a28',
      '0xa15f0d7377b2a0c0c10db057f641bed21028fc89',
    ),
    ...listV3Forks('polygon'),
  ],
  v4: uniswapV4({
    poolManager: '0x67366782805870060151383f4bbff9dab53e5cd6',
    positionManager: '0x1ec2ebf4f37e7363fdfe3551602425af0b3ceef9',
    stateView: '0x5ea1bd7974c8a611cbab0bdcafcb1d9cc9b3ba5a',
    quoter: '0xb3d5c3dfc3a7aebff71895a7191796bffc2c81b9',
  }),
  ...COIN_VENUES.polygon,
  ...listVenueRouters('polygon'),
  universalRouter: routerAt('0x1095692a6237d83c6a72f3f5efedb9a670c49223', '2.0'),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  finalityDepth: 256,
};

const BSC: EvmDeployment = {
  chain: 'bsc',
  chainId: 56,
  native: BUILT_IN_CHAINS.bsc.native,
  wrapped: evmAddress('0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'),
  wrappedEmitsTransfers: false,
  stables: [
    '0x55d398326f99059ff775485246999027b3197955', // USDT
    '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', // USDC
    '0xe9e7cea3dedca5984780bafc599bd69add087d56', // BUSD
    '0x1af3f329e8be154074d8769d1ffa4ee058b1dbc3', // DAI
  ].map(evmAddress),
  anchorPools: [
    '0x172fcd41e0913e95784454622d1c3724f546f849', // USDT PancakeSwap V3 0.01 %
    '0x36696169c63e42cd08ce11f5deebbcebae652050', // USDT PancakeSwap V3 0.05 %
    '0x16b9a82891338f9ba80e2d6970fdda79d1eb0dae', // USDT PancakeSwap V2
  ].map(evmPool),
  v2: [
    v2Fork('pancakeswap-v2', 2500, {
      factory: '0xca143ce32fe78f1f7019d7d551a6402fc5350c73',
      periphery: '0x10ed43c718714eb63d5aa57b78b54704e256024e',
    }),
    uniswapV2({
      factory: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      periphery: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    }),
    v2Fork('sushiswap-v2', 3000, {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      periphery: '0x1b02da8cb0d097eb8d57a175b88c7d8b47997506',
    }),
    ...listV2Forks('bsc'),
  ],
  v3: [
    v3Fork('pancakeswap-v3', {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      periphery: '0xb048bbc1ee6b733fffcfb9e9cef7375518e25997',
    }),
    uniswapV3({
      factory: '0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7',
      periphery: '0x78d78e420da98ad378d7799be8f4af69033eb077',
    }),
    v3Fork('sushiswap-v3', {
      factory: '0x126555dd55a39328f69400d6ae4f782bd4c34abb',
      periphery: '0xb1e835dc2785b52265711e17fccb0fd018226a6e',
    }),
    ...listV3Forks('bsc'),
  ],
  v4: uniswapV4({
    poolManager: '0x28e2ea090877bf75740558f6bfb36a5ffee9e9df',
    positionManager: '0x7a4a5c919ae2541aed11041a1aeee68f1287f95b',
    stateView: '0xd13dd3d6e93f276fafc9db9e6bb47c1180aee0c4',
    quoter: '0x9f75dd27d6664c475b90e105573e550ff69437b0',
  }),
  ...COIN_VENUES.bsc,
  ...listVenueRouters('bsc'),
  universalRouter: routerAt('0x1906c1d672b88cd1b9ac7593301ca990f94eae07', '2.0'),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  // Three minutes of blocks every 450 ms: a validator makes many in a row.
  finalityDepth: 450,
};

/** Without the devnet, whose addresses come from the file that it writes at start. */
export const EVM_DEPLOYMENTS: Readonly<Partial<Record<BuiltInSlug, EvmDeployment>>> = {
  ethereum: ETHEREUM,
  base: BASE,
  arbitrum: ARBITRUM,
  optimism: OPTIMISM,
  polygon: POLYGON,
  bsc: BSC,
};
