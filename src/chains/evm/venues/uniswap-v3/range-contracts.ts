// Contracts of Uniswap V3 and of pools like its own, by chain: factories, quoters, and routers of
// exchanges. The addresses come from the SDKs of Uniswap, PancakeSwap and Sushi, from the
// repositories of QuickSwap, Aerodrome, Velodrome and Camelot, and from public integrations (the
// routers of QuickSwap, Camelot and THENA, and all of Algebra Integral).

import type { BuiltInSlug } from '../../../../model/chain.ts';
import type { V3LayoutName } from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { RouterLine } from '../../data/deployments/evm-deployment.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import { routerOf, type VenueTable } from '../venue-table.ts';
import type { V3Fork } from './v3-layouts.ts';

interface ForkLine {
  readonly factory: string;
  /** Its `QuoterV2`. */
  readonly periphery: string;
}

function parseContracts({ factory, periphery }: ForkLine): Record<keyof ForkLine, Address> {
  return { factory: evmAddress(factory), periphery: evmAddress(periphery) };
}

/** Uniswap's own V3: the Universal Router trades there. */
function uniswapV3(line: ForkLine): V3Fork {
  const { factory, periphery } = parseContracts(line);
  return { venue: 'uniswap-v3', factory, quoter: periphery, universalRouter: true };
}

function v3Fork(venue: string, line: ForkLine): V3Fork {
  const { factory, periphery } = parseContracts(line);
  return { venue, factory, quoter: periphery, universalRouter: false };
}

/** Pools like those of V3, with logs and getters of their own. */
function v3Like(venue: string, layout: V3LayoutName, factory: string, quoter?: string): V3Fork {
  const place = { venue, factory: evmAddress(factory), layout };
  const asked = quoter === undefined ? null : evmAddress(quoter);
  return { ...place, quoter: asked, universalRouter: false };
}

const FORKS: Readonly<Partial<Record<BuiltInSlug, readonly V3Fork[]>>> = {
  ethereum: [
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
    v3Like('supernova', 'algebraIntegral', '0x44b7fbd4d87149efa5347c451e74b9fd18e89c55'),
  ],
  base: [
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
    v3Like('quickswap-v4', 'algebraIntegral', '0xc5396866754799b9720125b104ae01d935ab9c7b'),
    v3Like('hydrex', 'algebraIntegral', '0x36077d39cdc65e1e3fb65810430e5b2c4d5fa29e'),
    v3Like('thirdfy', 'algebraIntegral', '0xefcb993e113ea8197c17c6f4959495929be0b68e'),
  ],
  arbitrum: [
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
  ],
  optimism: [
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
  ],
  polygon: [
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
  ],
  bsc: [
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
    // If its bitmap is not QuickSwap's, its ticks do not add up, and its pools are never exact.
    v3Like(
      'thena-fusion',
      'algebra',
      '0x306f06c147f064a010530292a1eb6737c3e378e4',
      '0xea68020d6a9532eec42d4db0f92b83580c39b2ca',
    ),
    v3Like('thena-integral', 'algebraIntegral', '0x30055f87716d3dfd0e5198c27024481099fb4a98'),
  ],
  unichain: [
    uniswapV3({
      factory: '0x1f98400000000000000000000000000000000003',
      periphery: '0x385a5cf5f83e99f7bb2852b6a19c3538b9fa7658',
    }),
    v3Like('velodrome-slipstream', 'slipstream', '0x04625b046c69577efc40e6c0bb83cdbafab5a55f'),
  ],
  robinhood: [
    uniswapV3({
      factory: '0x1f7d7550b1b028f7571e69a784071f0205fd2efa',
      periphery: '0x33e885ed0ec9bf04ecfb19341582aadcb4c8a9e7',
    }),
  ],
  avalanche: [
    uniswapV3({
      factory: '0x740b1c1de25031c31ff4fc9a62f554a55cdc1bad',
      periphery: '0xbe0f5544ec67e9b3b2d979aaa43f18fd87e6257f',
    }),
  ],
  linea: [
    uniswapV3({
      factory: '0x31fafd4889fa1269f7a13a66ee0fb458f27d72a9',
      periphery: '0x42be4d6527829fefa1493e1fb9f3676d2425c3c1',
    }),
    v3Fork('pancakeswap-v3', {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      periphery: '0xb048bbc1ee6b733fffcfb9e9cef7375518e25997',
    }),
  ],
  monad: [
    uniswapV3({
      factory: '0x204faca1764b154221e35c0d20abb3c525710498',
      periphery: '0x661e93cca42afacb172121ef892830ca3b70f08d',
    }),
  ],
  ink: [
    uniswapV3({
      factory: '0x640887a9ba3a9c53ed27d0f7e8246a4f933f3424',
      periphery: '0x96b572d2d880cf2fa2563651bd23ade6f5516652',
    }),
    v3Like('velodrome-slipstream', 'slipstream', '0x04625b046c69577efc40e6c0bb83cdbafab5a55f'),
  ],
  soneium: [
    uniswapV3({
      factory: '0x42ae7ec7ff020412639d443e245d936429fbe717',
      periphery: '0x3e6c707d0125226ff60f291b6bd1404634f00aba',
    }),
    v3Like('velodrome-slipstream', 'slipstream', '0x04625b046c69577efc40e6c0bb83cdbafab5a55f'),
  ],
  worldchain: [
    uniswapV3({
      factory: '0x7a5028bda40e7b173c278c5342087826455ea25a',
      periphery: '0x10158d43e6cc414dee1bd1eb0efc6a5cbcff244c',
    }),
  ],
  zora: [
    uniswapV3({
      factory: '0x7145f8aeef1f6510e92164038e1b6f8cb2c42cbb',
      periphery: '0x11867e1b3348f3ce4fcc170bc5af3d23e07e64df',
    }),
  ],
};

const ROUTERS: Readonly<Partial<Record<BuiltInSlug, readonly RouterLine[]>>> = {
  ethereum: [
    routerOf('supernova', 'algebraIntegral', '0x72d63a5b080e1b89cc93f9b9f50cbfa5e291c8ac'),
  ],
  base: [
    routerOf('aerodrome-slipstream', 'slipstream', '0xbe6d8f0d05cc4be24d5167a3ef062215be6d18a5'),
    routerOf('aerodrome-slipstream-2', 'slipstream', '0xcbbb8035cac7d4b3ca7abb74cf7bdf900215ce0d'),
    // Aerodrome's list of deployments has it under "Gauges V3", with the third factory of
    // this file; others who called its factory() say the same (not called from here).
    routerOf('aerodrome-slipstream-3', 'slipstream', '0x698cb2b6dd822994581fea6ea4fc755d1363a92f'),
    routerOf('quickswap-v4', 'algebraIntegral', '0xe6c9bb24ddb4ae5c6632dbe0de14e3e474c6cb04'),
    routerOf('hydrex', 'algebraIntegral', '0x6f4be24d7dc93b6ffcbab3fd0747c5817cea3f9e'),
  ],
  arbitrum: [routerOf('camelot-v3', 'algebra', '0x1f721e2e82f6676fce4ea07a5958cf098d339e18')],
  optimism: [
    routerOf('velodrome-slipstream', 'slipstream', '0x0792a633f0c19c351081cf4b211f68f79bcc9676'),
    routerOf('velodrome-slipstream-2', 'slipstream', '0xba3aee516399388c779463183d00bb579f5041ca'),
  ],
  bsc: [routerOf('thena-fusion', 'algebra', '0x327dd3208f0bcf590a66110aca6e5e6941a4efa0')],
  polygon: [routerOf('quickswap-v3', 'algebra', '0xf5b509bb0909a69b1c207e495f687a596c168e12')],
};

/** Factories of forks, of which nothing was checked (`uniswap-v2/pair-contracts.ts`). */
type ForkRow = readonly [V3LayoutName | 'v3', string, string];

const UNCHECKED: Readonly<Partial<Record<BuiltInSlug, readonly ForkRow[]>>> = {
  ethereum: [
    ['solidlyV3', 'solidly-v3', '0x70fe4a44ea505cfa3a57b95cf2862d4fd5f0f687'],
    ['kyberElastic', 'kyber-elastic', '0xc7a590291e07b9fe9e64b86c58fd8fc764308c4a'],
    ['v3', 'shibaswap-v2', '0xd9ce49caf7299daf18fffcb2b84a44fd33412509'],
    ['v3', 'wagmi', '0xb9a14ee1cd3417f3acc988f61650895151abde24'],
  ],
  base: [
    ['solidlyV3', 'solidly-v3', '0x70fe4a44ea505cfa3a57b95cf2862d4fd5f0f687'],
    ['slipstream', 'aerodrome-slipstream-0', '0x9592cd9b267748cbfbde90ac9f7df3c437a6d51b'],
    ['v3', 'two-thick', '0x7ca1dccfb4f49564b8f13e18a67747fd428f1c40'],
    ['v3', '2thick-v3', '0xe6da85feb3b4e0d6aed95c41a125fba859bb9d24'],
    ['v3', 'alienbase-v3', '0x0fd83557b2be93617c9c1c1b6fd549401c74558c'],
    ['v3', 'derpdex', '0xeddef4273518b137cdbcb3a7fa1c6a688303dfe2'],
    ['v3', 'goblin-dex', '0xe82fa4d4ff25bad8b07c4d1ebd50e83180dd5eb8'],
    ['v3', 'omni-exchange-v3', '0xd6ab0566e7e60b67c50ac73ddff4e3ddcb829ec2'],
    ['v3', 'throne-v3', '0xe8839bf8175812691c6578c0fc80e721bc3e00fb'],
    ['v3', 'wagmi', '0x576a1301b42942537d38fb147895fe83fb418fd4'],
  ],
  arbitrum: [
    ['v3', 'ramses-v2', '0xaa2cd7477c451e703f3b9ba5663334914763edf8'],
    ['kyberElastic', 'kyber-elastic', '0xc7a590291e07b9fe9e64b86c58fd8fc764308c4a'],
    ['algebraDirectional', 'camelot-v3-2', '0xd490f2f6990c0291597fd1247651b4e0dcf684dd'],
    ['v3', 'chronos-v2', '0x4db9d624f67e00dbf8ef7ae0e0e8ee54af1dee49'],
    ['v3', 'crescent-swap', '0x8219904a8683d06e38605276bacbf2d29aa764dd'],
    ['v3', 'horiza', '0x5b1c257b88537d1ce2af55a1760336288ccd28b6'],
    ['v3', 'omni-exchange-v3', '0xd6ab0566e7e60b67c50ac73ddff4e3ddcb829ec2'],
    ['v3', 'thick', '0xe6da85feb3b4e0d6aed95c41a125fba859bb9d24'],
  ],
  optimism: [
    ['kyberElastic', 'kyber-elastic', '0xc7a590291e07b9fe9e64b86c58fd8fc764308c4a'],
    ['solidlyV3', 'solidly-v3', '0x70fe4a44ea505cfa3a57b95cf2862d4fd5f0f687'],
    ['slipstream', 'velodrome-slipstream-0', '0x548118c7e0b865c2cfa94d15ec86b666468ac758'],
    ['v3', 'omni-exchange-v3', '0xd6ab0566e7e60b67c50ac73ddff4e3ddcb829ec2'],
    ['v3', 'superswap-v3', '0xe52a36bb76e8f40e1117db5ff14bd1f7b058b720'],
  ],
  polygon: [
    ['kyberElastic', 'kyber-elastic', '0xc7a590291e07b9fe9e64b86c58fd8fc764308c4a'],
    ['v3', 'retro', '0x91e1b99072f238352f59e58de875691e20dc19c1'],
  ],
  bsc: [
    ['v3', 'goblin-dex', '0x30d9e1f894fbc7d2227dd2a017f955d5586b1e14'],
    ['v3', 'omni-exchange-v3', '0xd6ab0566e7e60b67c50ac73ddff4e3ddcb829ec2'],
    ['v3', 'squadswap-v3', '0x009c4ef7c0e0dd6bd1ea28417c01ea16341367c3'],
    ['v3', 'squadswap-wow', '0x10d8612d9d8269e322ab551c18a307cb4d6bc07b'],
    ['v3', 'unchain-x', '0x82fa7b2ce2a76c7888a9d3b0a81e0b2ecfd8d40c'],
  ],
};

function toUnchecked([kind, venue, factory]: ForkRow): V3Fork {
  const place = { venue, factory: evmAddress(factory), quoter: null };
  const unsearched = { universalRouter: false, isSearched: false, ...place } as const;
  return kind === 'v3' ? unsearched : { ...unsearched, layout: kind };
}

export const RANGE_CONTRACTS: VenueTable = Object.fromEntries(
  (Object.entries(FORKS) as [BuiltInSlug, readonly V3Fork[]][]).map(([chain, forks]) => {
    const v3 = [...forks, ...(UNCHECKED[chain] ?? []).map(toUnchecked)];
    return [chain, { v3, routers: ROUTERS[chain] ?? [] }];
  }),
);
