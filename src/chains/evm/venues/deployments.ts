// What the EVM chains have: wrapped coins, stable assets, anchor pools, and the contracts of all
// venues. A test recomputes the anchor pools from factory, tokens and fee.

import { BUILT_IN_CHAINS, type BuiltInSlug } from '../../../model/chain.ts';
import type {
  ChainFacts,
  EvmDeployment,
  VenueContracts,
} from '../data/deployments/evm-deployment.ts';
import { evmAddress, evmPool } from '../data/evm-ids.ts';
import { VENUE_PROTOCOLS } from './registry.ts';

const MULTICALL3 = evmAddress('0xca11bde05977b3631167028862be2a173976ca11');
const PERMIT2 = evmAddress('0x000000000022d473030f116ddee9f6b43ac78ba3');

const ETHEREUM: ChainFacts = {
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
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  finalityDepth: 96,
};

const BASE: ChainFacts = {
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
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  // Forty minutes of blocks every 200 ms.
  finalityDepth: 12_000,
};

const ARBITRUM: ChainFacts = {
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
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'arbitrum',
  finalityDepth: 6000,
};

const OPTIMISM: ChainFacts = {
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
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  finalityDepth: 1200,
};

const POLYGON: ChainFacts = {
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
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  finalityDepth: 256,
};

const BSC: ChainFacts = {
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
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  // Three minutes of blocks every 450 ms: a validator makes many in a row.
  finalityDepth: 450,
};

const UNICHAIN: ChainFacts = {
  chain: 'unichain',
  chainId: 130,
  native: BUILT_IN_CHAINS.unichain.native,
  wrapped: evmAddress('0x4200000000000000000000000000000000000006'),
  wrappedEmitsTransfers: false,
  stables: [
    '0x078d782b760474a361dda0af3839290b0ef57ad6', // USDC
    '0x20cab320a855b39f724131c69424240519573f81', // DAI
  ].map(evmAddress),
  anchorPools: [
    '0x25939956ef14a098d95051d86c75890cfd623a9eeba055e46d8dd9135980b37c', // USDC V4 0.3 %
    '0x65081cb48d74a32e9ccfed75164b8c09972dbcf1', // USDC 0.05 %
    '0x8cbf356ecf5ae7035583543479996250178527f4', // USDC V2
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  // Forty minutes of blocks a second apart.
  finalityDepth: 2400,
};

const ROBINHOOD: ChainFacts = {
  chain: 'robinhood',
  chainId: 4663,
  native: BUILT_IN_CHAINS.robinhood.native,
  wrapped: evmAddress('0x0bd7d308f8e1639fab988df18a8011f41eacad73'),
  wrappedEmitsTransfers: true,
  stables: [
    '0x5fc5360d0400a0fd4f2af552add042d716f1d168', // USDG
  ].map(evmAddress),
  anchorPools: [
    '0x52e65b17fb6e5ba00ed806f37afcd2daa50271ca', // USDG 0.01 %
    '0x69bfaf19c9f377bb306a89aed9f6b07e2c1a8d9a', // USDG 0.05 %
    '0x387bf619da4d3fb62bb276482693dba1b9b3520f573cabdfe033384a24125982', // USDG V4 0.05 %
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'arbitrum',
  // Twenty-five minutes of blocks every 100 ms, as on Arbitrum.
  finalityDepth: 15_000,
};

const AVALANCHE: ChainFacts = {
  chain: 'avalanche',
  chainId: 43114,
  native: BUILT_IN_CHAINS.avalanche.native,
  wrapped: evmAddress('0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7'),
  wrappedEmitsTransfers: false,
  stables: [
    '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e', // USDC
    '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7', // USDt
    '0xa7d7079b0fead91f3e65f86e8915cb59c1a4c664', // USDC.e
    '0xc7198437980c041c805a1edcba50c1ce5db95118', // USDT.e
    '0xd586e7f844cea2f87f50152665bcbc2c279d8d70', // DAI.e
  ].map(evmAddress),
  anchorPools: [
    '0xfae3f424a0a47706811521e3ee268f00cfb5c45e', // USDC 0.05 %
    '0xd7a8035ddd9ec1dba25e3b27b685927fe63d65281f21c1c1d21d122fc48caeb7', // USDC V4 0.05 %
    '0x6239ae4d661379b71a90c4c79f0a95297342e391', // USDC V2
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  // An accepted block is final; nodes answer with no others.
  finalityDepth: 64,
};

const LINEA: ChainFacts = {
  chain: 'linea',
  chainId: 59144,
  native: BUILT_IN_CHAINS.linea.native,
  wrapped: evmAddress('0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f'),
  wrappedEmitsTransfers: false,
  stables: [
    '0x176211869ca2b568f2a7d4ee941e073a821ee1ff', // USDC
    '0xa219439258ca9da29e9cc4ce5596924745e12b93', // USDT
  ].map(evmAddress),
  anchorPools: [
    '0x93f626d0e471279bd8d1420959cc881bdacfdab1', // USDC 0.3 %
    '0x9949478188160639c18d4948d6d839d3937ffff34bbb3f62f7c557daab069bb9', // USDC V4 0.3 %
    '0x85e140a505ac30857fcf7d082b6dac3ee14da396', // USDC V2
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  finalityDepth: 1200,
};

const MONAD: ChainFacts = {
  chain: 'monad',
  chainId: 143,
  native: BUILT_IN_CHAINS.monad.native,
  wrapped: evmAddress('0x3bd359c1119da7da1d913d1c4d2b7c461115433a'),
  wrappedEmitsTransfers: false,
  stables: [
    '0x754704bc059f8c67012fed69bc8a327a5aafb603', // USDC
    '0x00000000efe302beaa2b3e6e1b18d08d69a9012a', // AUSD
    '0xe7cd86e13ac4309349f30b3435a9d337750fc82d', // USDT0
  ].map(evmAddress),
  anchorPools: [
    '0x659bd0bc4167ba25c62e05656f78043e7ed4a9da', // USDC 0.3 %
    '0x3fe12728ea1b89e4bac6e59a9130b61a27d032f8', // USDC V2
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  // Two blocks of 400 ms finalise one; the rest is for endpoints that run ahead of them.
  finalityDepth: 64,
};

const INK: ChainFacts = {
  chain: 'ink',
  chainId: 57073,
  native: BUILT_IN_CHAINS.ink.native,
  wrapped: evmAddress('0x4200000000000000000000000000000000000006'),
  wrappedEmitsTransfers: false,
  stables: [
    '0xf1815bd50389c46847f0bda824ec8da914045d14', // USDC.e
    '0x0200c29006150606b650577bbe7b6248f58470c1', // USDT0
  ].map(evmAddress),
  anchorPools: [
    '0xd5aa1bd330a94332f071da5bb3651ec372ea6926', // USDC.e 0.3 %
    '0xfa3a9015e5fd82485835e23260bc98adadca8a01', // USDC.e V2
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  finalityDepth: 2400,
};

const SONEIUM: ChainFacts = {
  chain: 'soneium',
  chainId: 1868,
  native: BUILT_IN_CHAINS.soneium.native,
  wrapped: evmAddress('0x4200000000000000000000000000000000000006'),
  wrappedEmitsTransfers: false,
  stables: [
    '0xba9986d2381edf1da03b0b9c1f8b00dc4aacc369', // USDC.e
  ].map(evmAddress),
  anchorPools: [
    '0x3d18457ff1dcfa8ffb14b162ae3def9eda618569ac4a6aadc827628f5981b515', // USDC.e V4 0.05 %
    '0xcd4255ceae51803a9333aa1a559991e17b024efc', // USDC.e 0.05 %
    '0x50791d0846438124d630b5095c2a3ce95252a46b', // USDC.e V2
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  finalityDepth: 1200,
};

const WORLDCHAIN: ChainFacts = {
  chain: 'worldchain',
  chainId: 480,
  native: BUILT_IN_CHAINS.worldchain.native,
  wrapped: evmAddress('0x4200000000000000000000000000000000000006'),
  wrappedEmitsTransfers: false,
  stables: [
    '0x79a02482a880bce3f13e09da970dc34db4cd24d1', // USDC
  ].map(evmAddress),
  anchorPools: [
    '0x5f835420502a7702de50cd0e78d8aa3608b2137e', // USDC 0.05 %
    '0x45c70c27c25654e8c73bc0d63ba350144de8207a73c53d38409d3e127d993dc7', // USDC V4 0.05 %
    '0x5a5189307eae50b0ef16eff3812b798091a4dd52', // USDC V2
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  finalityDepth: 1200,
};

const ZORA: ChainFacts = {
  chain: 'zora',
  chainId: 7777777,
  native: BUILT_IN_CHAINS.zora.native,
  wrapped: evmAddress('0x4200000000000000000000000000000000000006'),
  wrappedEmitsTransfers: false,
  stables: [
    '0xcccccccc7021b32ebb4e8c08314bd62f7c653ec4', // USDzC
  ].map(evmAddress),
  anchorPools: [
    '0x8362fda2356bf98851192da5b5b89553dd92ad73f8e8d6be97f154ce72b0adfe', // USDzC V4 0.05 %
    '0xbc59f8f3b275aa56a90d13bae7cce5e6e11a3b17', // USDzC 0.3 %
  ].map(evmPool),
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  rollup: 'optimism',
  finalityDepth: 1200,
};

/** What protocols have on one chain, together. */
export function joinContracts(parts: readonly Partial<VenueContracts>[]): VenueContracts {
  const none = VENUE_PROTOCOLS.map(({ entries }) => entries?.addContracts([], {}) ?? {});
  const routers = parts.flatMap((one) => one.routers ?? []);
  return Object.assign({ universalRouter: null }, ...none, ...parts, { routers });
}

function addVenues(chain: BuiltInSlug, facts: ChainFacts): EvmDeployment {
  const own = VENUE_PROTOCOLS.flatMap(({ contracts }) => contracts[chain] ?? []);
  return { ...facts, ...joinContracts(own) };
}

/** Without the devnet, whose addresses come from the file that it writes at start. */
export const EVM_DEPLOYMENTS: Readonly<Partial<Record<BuiltInSlug, EvmDeployment>>> = {
  ethereum: addVenues('ethereum', ETHEREUM),
  base: addVenues('base', BASE),
  arbitrum: addVenues('arbitrum', ARBITRUM),
  optimism: addVenues('optimism', OPTIMISM),
  polygon: addVenues('polygon', POLYGON),
  bsc: addVenues('bsc', BSC),
  unichain: addVenues('unichain', UNICHAIN),
  robinhood: addVenues('robinhood', ROBINHOOD),
  avalanche: addVenues('avalanche', AVALANCHE),
  linea: addVenues('linea', LINEA),
  monad: addVenues('monad', MONAD),
  ink: addVenues('ink', INK),
  soneium: addVenues('soneium', SONEIUM),
  worldchain: addVenues('worldchain', WORLDCHAIN),
  zora: addVenues('zora', ZORA),
};
