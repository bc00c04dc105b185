// Contracts of Uniswap V2 and of pairs like its own, by chain: factories, and routers of exchanges.
// The addresses come from the SDKs of Uniswap, PancakeSwap and Sushi, from the repositories of
// QuickSwap, Aerodrome, Velodrome and Camelot, and from public integrations (Camelot's router);
// those of the chains in docs/chains.md from two sources each.

import type { BuiltInSlug } from '../../../../model/chain.ts';
import type { V2LayoutName } from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { RouterLine } from '../../data/deployments/evm-deployment.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import { routerOf, type VenueTable } from '../venue-table.ts';
import type { V2Fork } from './v2-layouts.ts';

interface ForkLine {
  readonly factory: string;
  /** V2: its `Router02`. V3: its `QuoterV2`. */
  readonly periphery: string;
}

function parseContracts({ factory, periphery }: ForkLine): Record<keyof ForkLine, Address> {
  return { factory: evmAddress(factory), periphery: evmAddress(periphery) };
}

/** Uniswap's own V2: the Universal Router trades there. */
function uniswapV2(line: ForkLine): V2Fork {
  const { factory, periphery } = parseContracts(line);
  return { venue: 'uniswap-v2', factory, feePips: 3000, router: periphery, universalRouter: true };
}

/** Where no two sources name a `Router02` of Uniswap's. */
function uniswapV2Factory(factory: string): V2Fork {
  const place = { venue: 'uniswap-v2', factory: evmAddress(factory) };
  return { ...place, feePips: 3000, router: null, universalRouter: true };
}

function v2Fork(venue: string, feePips: number, line: ForkLine): V2Fork {
  const { factory, periphery } = parseContracts(line);
  return { venue, factory, feePips, router: periphery, universalRouter: false };
}

/** Pairs like those of V2, with logs and fees of their own. */
function v2Like(venue: string, layout: V2LayoutName, factory: string): V2Fork {
  const place = { venue, factory: evmAddress(factory), layout };
  return { ...place, feePips: 0, router: null, universalRouter: false };
}

const FORKS: Readonly<Partial<Record<BuiltInSlug, readonly V2Fork[]>>> = {
  ethereum: [
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
  ],
  base: [
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
  ],
  arbitrum: [
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
  ],
  optimism: [
    uniswapV2({
      factory: '0x0c3c1c532f1e39edf36be9fe0be1410313e074bf',
      periphery: '0x4a7b5da61326a6379179b40d00f57e5bbdc962c2',
    }),
    v2Fork('sushiswap-v2', 3000, {
      factory: '0xfbc12984689e5f15626bad03ad60160fe98b303c',
      periphery: '0x2abf469074dc0b54d793850807e6eb5faf2625b1',
    }),
    v2Like('velodrome-v2', 'solidly', '0xf1046053aa5682b4f9a81b5481394da16be5ff5a'),
  ],
  polygon: [
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
  ],
  bsc: [
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
  ],
  unichain: [
    uniswapV2({
      factory: '0x1f98400000000000000000000000000000000002',
      periphery: '0x284f11109359a7e1306c3e447ef14d38400063ff',
    }),
    v2Like('velodrome-v2', 'solidly', '0x31832f2a97fd20664d76cc421207669b55ce4bc0'),
  ],
  robinhood: [
    uniswapV2({
      factory: '0x8bceaa40b9acdfaedf85adf4ff01f5ad6517937f',
      periphery: '0x89e5db8b5aa49aa85ac63f691524311aeb649eba',
    }),
  ],
  avalanche: [
    uniswapV2({
      factory: '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c',
      periphery: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    }),
  ],
  linea: [
    uniswapV2({
      factory: '0x114a43df6c5f54ebb8a9d70cd1951d3dd68004c7',
      periphery: '0x8702463e73f74d0b6765abceb314ef07acb92650',
    }),
  ],
  monad: [
    uniswapV2({
      factory: '0x182a927119d56008d921126764bf884221b10f59',
      periphery: '0x4b2ab38dbf28d31d467aa8993f6c2585981d6804',
    }),
  ],
  ink: [
    uniswapV2Factory('0xfe57a6ba1951f69ae2ed4abe23e0f095df500c04'),
    v2Like('velodrome-v2', 'solidly', '0x31832f2a97fd20664d76cc421207669b55ce4bc0'),
  ],
  soneium: [
    uniswapV2({
      factory: '0x97febbc2adbd5644ba22736e962564b23f5828ce',
      periphery: '0x273f68c234fa55b550b40e563c4a488e0d334320',
    }),
    v2Like('velodrome-v2', 'solidly', '0x31832f2a97fd20664d76cc421207669b55ce4bc0'),
  ],
  worldchain: [
    uniswapV2({
      factory: '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
      periphery: '0x541ab7c31a119441ef3575f6973277de0ef460bd',
    }),
  ],
  zora: [uniswapV2Factory('0x0f797dc7efaea995bb916f268d919d0a1950ee3c')],
};

/** PancakeSwap's SmartRouter, for its pairs and pools. */
function pancakeRouter(address: string): RouterLine {
  const venues = ['pancakeswap-v2', 'pancakeswap-v3'];
  return { name: 'pancakeswap', kind: 'smart', address: evmAddress(address), venues };
}

const ROUTERS: Readonly<Partial<Record<BuiltInSlug, readonly RouterLine[]>>> = {
  ethereum: [pancakeRouter('0x13f4ea83d0bd40e75c8222255bc855a974568dd4')],
  base: [
    pancakeRouter('0x678aa4bf4e210cf2166753e054d5b7c31cc7fa86'),
    routerOf('aerodrome-v2', 'solidly', '0xcf77a3ba9a5ca399b7c97c74d54e5b1beb874e43'),
  ],
  arbitrum: [
    pancakeRouter('0x32226588378236fd0c7c4053999f88ac0e5cac77'),
    routerOf('camelot-v2', 'camelot', '0xc873fecbd354f5a56e00e710b90ef4201db2448d'),
  ],
  optimism: [routerOf('velodrome-v2', 'solidly', '0xa062ae8a9c5e11aaa026fc2670b0d65ccc8b2858')],
  bsc: [pancakeRouter('0x13f4ea83d0bd40e75c8222255bc855a974568dd4')],
};

// Factories of forks, by their chain: from DefiLlama's list of exchanges. Nothing of them was
// checked but that their pools and they name each other, which is asked when a pool is met. So
// their swaps are stored and never promised to the unit, and the chain's router does not trade
// there. Early factories of Aerodrome, Velodrome and Camelot with few pools are here, too.

/** Kind, venue, factory, and the fee that is claimed for all its pairs, in pips. */
type ForkRow = readonly ['v2' | 'solidly', string, string, number?];

/** Of most forks no fee is stated. */
const USUAL_FEE_PIPS = 3000;

const UNCHECKED: Readonly<Partial<Record<BuiltInSlug, readonly ForkRow[]>>> = {
  ethereum: [
    ['v2', 'apeswap', '0xbae5dc9b19004883d0377419fef3c2c8832d7d7b', 2000],
    ['solidly', 'archly-finance-v2', '0xe8e2b714c57937e0b29c6abeaf00b52388cab598'],
    ['v2', 'bxh', '0x8d0fca60fdf50cfe65e3e667a37ff3010d6d1e8d'],
    ['v2', 'deltaswap', '0x5fbe219e88f6c6f214ce6f5b1fcaa0294f31ae1b'],
    ['v2', 'elk', '0x6511eba915fc1b94b2364289cca2b27ae5898d80', 3000],
    ['v2', 'empiredex', '0xd674b01e778cf43d3e6544985f893355f46a74a5', 3000],
    ['v2', 'luaswap', '0x0388c1e0f210abae597b7de712b9510c6c36c857'],
    ['v2', 'shibaswap', '0x115934131916c8b277dd010ee02de363c09d037c'],
    ['v2', 'swapr', '0xd34971bab6e5e356fd250715f5de0492bb070452'],
    ['v2', 'swapsicle', '0x2f0c7c98462651bb2102f6cd05acdad333e031b0'],
    ['v2', 'unicly', '0xbacc776b231c571a7e6ab7bc2c8a099e07153377'],
    ['v2', 'verse', '0xee3e9e46e34a27dc755a63e2849c9913ee1a06e2'],
    ['v2', 'wswap', '0x46b0b17bb1f637ccffa9fcc34bd591e3a0ff58f9', 3000],
    ['v2', 'yoshi-exchange', '0x773cadc167deafa46f603d96172fa45686c4fa58'],
  ],
  base: [
    ['v2', 'nine-mm-v2', '0x4c1b8d4ae77a37b94e195cab316391d3c687ebd1', 2500],
    ['solidly', 'archly-finance-v2', '0x12508dd9108abab2c5fd8fc6e4984e46a3cf7824'],
    ['v2', 'dackieswap-v2', '0x591f122d1df761e616c13d265006fcbf4c6d6551'],
    ['v2', 'deltaswap', '0x9a9a171c69cc811dc6b59bb2f9990e34a22fc971'],
    ['v2', 'elk', '0xfbb4e52fecc90924c79f980eb24a9794ae4affa4', 3000],
    ['v2', 'fwx-dex', '0x3512da8f30d9ae6528e8e0787663c14fe263fbea', 2500],
    ['solidly', 'hydrometer', '0xf60cacf0a3daa5b6a79ca6594bef38f85391ae0a'],
    ['solidly', 'infusion', '0x2d9a3a2bd6400ee28d770c7254ca840c82faf23f'],
    ['v2', 'kinetix-v2', '0x8ad3d3e6b1b7b65138bd508e48330b544539b2c3'],
    ['v2', 'omni-exchange-v2', '0x7d9d51267f7e9e6b46a48e0a75c0086f46777087', 3000],
    ['solidly', 'scale', '0xed8db60acc29e14bc867a497d94ca6e3ceb5ec04'],
    ['v2', 'velox', '0xa28dbae4d926067f4c343aa8071e833b04c8b99e', 100],
    ['solidly', 'virtus-protocol', '0x7f03ae4452192b0e280fb0d4f9c225dda88c7623'],
  ],
  arbitrum: [
    ['solidly', 'threexcalibur', '0xd158bd9e8b6efd3ca76830b66715aa2b7bad2218'],
    ['v2', 'alienfi', '0xac9d019b7c8b7a4bbac64b2dbf6791ed672ba98b', 2500],
    ['v2', 'apeswap', '0xcf083be4164828f00cae704ec15a36d711491284', 2000],
    ['solidly', 'archly-finance-v2', '0x12508dd9108abab2c5fd8fc6e4984e46a3cf7824'],
    ['solidly', 'auragi', '0xa36b55dbe8e83eb69c686368cf93abc8a238cc5f'],
    ['solidly', 'chronos', '0xce9240869391928253ed9cc9bcb8cb98cb5b0722'],
    ['v2', 'dackieswap-v2', '0x507940c2469e6e3b33032f1d4ff8d123bdde2f5c'],
    ['v2', 'deltaswap', '0xcb85e1222f715a81b8edaeb73b28182fa37cffa8'],
    ['v2', 'elk', '0xa59b2044eafd15ee4def138d410d764c9023e1f0', 3000],
    ['v2', 'mm-finance-arbitrum', '0xfe3699303d3eb460638e8ada2bf1cff092c33f22', 3000],
    ['v2', 'omni-exchange-v2', '0x7d9d51267f7e9e6b46a48e0a75c0086f46777087', 3000],
    ['solidly', 'ramses-exchange', '0xaaa20d08e59f6561f242b08513d36266c5a29415'],
    ['solidly', 'solidlizard', '0x734d84631f00dc0d3fcd18b04b6cf42bfd407074'],
    ['v2', 'swapr', '0x359f20ad0f42d75a5077e65f30274cabe6f4f01a'],
    ['v2', 'swapsicle', '0x2f0c7c98462651bb2102f6cd05acdad333e031b0'],
    ['v2', 'zipswap', '0x9e343bea27a12b23523ad88333a1b0f68cc1f05e', 3000],
  ],
  optimism: [
    ['solidly', 'archly-finance-v2', '0x12508dd9108abab2c5fd8fc6e4984e46a3cf7824'],
    ['v2', 'dackieswap-v2', '0xaedc38bd52b0380b2af4980948925734fd54fbf4'],
    ['v2', 'elk', '0xedfad3a0f42a8920b011bb0332ade632e552d846', 3000],
    ['v2', 'omni-exchange-v2', '0x7d9d51267f7e9e6b46a48e0a75c0086f46777087', 3000],
    ['v2', 'superswap-v2', '0x22505cb4d5d10b2c848a9d75c57ea72a66066d8c'],
    ['v2', 'swapsicle', '0x2f0c7c98462651bb2102f6cd05acdad333e031b0'],
    ['solidly', 'velodrome-v1', '0x25cbddb98b35ab1ff77413456b31ec81a6b6b746'],
  ],
  polygon: [
    ['v2', 'apeswap', '0xcf083be4164828f00cae704ec15a36d711491284', 2000],
    ['solidly', 'archly-finance-v2', '0x12508dd9108abab2c5fd8fc6e4984e46a3cf7824'],
    ['v2', 'auraswap', '0x015de3ec460869eb5ceae4224dc7112ac0a39303'],
    ['v2', 'cometh', '0x800b052609c355ca8103e06f022aa30647ead60a', 5000],
    ['v2', 'complus-network', '0x973c934137dd687eca67bdd1c5a8b74286964ac6', 3000],
    ['v2', 'dfyn', '0xe7fb3e833efe5f9c441105eb65ef8b261266423b'],
    ['solidly', 'dystopia', '0x1d21db6cde1b18c7e47b0f7f42f4b3f68b9beec9'],
    ['v2', 'elk', '0xe3bd06c7ac7e1ceb17bdd2e5ba83e40d1515af2a', 3000],
    ['v2', 'empiredex', '0x06530550a48f990360dfd642d2132354a144f31d', 3000],
    ['v2', 'gravis', '0x17c1d25d5a2d833c266639de5fbe8896bdbeb234', 2500],
    ['v2', 'gravity-finance', '0x3ed75aff4094d2aaa38fafca64ef1c152ec1cf20', 2500],
    ['v2', 'gt3', '0x2d7360db7216792cfc2c73b79c0ca629007e2af4'],
    ['v2', 'honeyswap', '0x03daa61d8007443a6584e3d8f85105096543c19c'],
    ['v2', 'jetswap', '0x668ad0ed2622c62e24f0d5ab6b6ac1b9d2cd4ac7'],
    ['solidly', 'pearlfi', '0xeaf188cdd22feebcb345dcb529aa18ca9fcb4fbd'],
    ['v2', 'polycat', '0x477ce834ae6b7ab003cce4bc4d8697763ff456fa'],
    ['v2', 'radioshack', '0xb581d0a3b7ea5cdc029260e989f768ae167ef39b'],
    ['v2', 'smartdex', '0xbe087bed88539d28664c9998fe3f180ea7b9749c'],
    ['v2', 'swapsicle', '0x735ab9808d792b5c8b54e31196c011c26c08b4ce'],
    ['v2', 'tetu', '0x684d8c187be836171a1af8d533e4724893031828'],
  ],
  bsc: [
    ['v2', 'alita-finance', '0xc7a506ab3ac668eab6bf9ecf971433d6cfef05d9'],
    ['v2', 'ampleswap', '0x381fefadab5466bff0e8e96842e8e76a143e8f73'],
    ['v2', 'apeswap', '0x0841bd0b734e4f5853f0dd8d7ea041c241fb0da6', 2000],
    ['solidly', 'archly-finance-v2', '0x12508dd9108abab2c5fd8fc6e4984e46a3cf7824'],
    ['v2', 'autoshark', '0xe759dd4b9f99392be64f1050a6a8018f73b53a13', 3000],
    ['v2', 'babydogeswap', '0x4693b62e5fc9c0a45f89d62e6300a03c85f43137', 3000],
    ['v2', 'babyswap', '0x86407bea2078ea5f5eb5a52b2caa963bc1f889da'],
    ['v2', 'bakeryswap', '0x01bf7c66c6bd861915cdaae475042d3c4bae16a7'],
    ['v2', 'benswap', '0x4dc6048552e2dc6eb1f82a783e859157d40fa193', 2000],
    ['v2', 'biswap', '0x858e3312ed3a876947ea49d572a7c42de08af7ee', 2000],
    ['v2', 'blue-planet', '0xa053582601214feb3778031a002135cbbb7dba18', 2500],
    ['v2', 'bxh', '0x7897c32cbda1935e97c0b59f244747562d4d97c1'],
    ['v2', 'champagneswap', '0xb31a337f1c3ee7fa2b2b83c6f8ee0ca643d807a0'],
    ['v2', 'complus-network', '0xdf97982bf70be91df4acd3d511c551f06a0d19ec', 3000],
    ['solidly', 'cone', '0x0efc2d2d054383462f2cd72ea2526ef7687e1016'],
    ['v2', 'cryptoswap', '0x4136a450861f5cfe7e860ce93e678ad12158695c'],
    ['v2', 'dao-swap', '0x940beb635cbeec04720ac97fadb97205676e6aa4'],
    ['v2', 'dinosaur-eggs', '0x73d9f93d53505cb8c4c7f952ae42450d9e859d10', 3000],
    ['v2', 'elk', '0x31affd875e9f68cd6cd12cee8943566c9a4bba13', 3000],
    ['v2', 'empiredex', '0x06530550a48f990360dfd642d2132354a144f31d', 3000],
    ['v2', 'forest-v1', '0x9d5ef0f61a5e88d90fb231f84413b5fc43bf6a9e'],
    ['v2', 'gravis', '0x4a3b76860c1b76f0403025485de7bfa1f08c48fd', 2500],
    ['v2', 'hyperjump', '0xac653ce27e04c6ac565fd87f18128ad33ca03ba2'],
    ['v2', 'jetswap', '0x0eb58e5c8aa63314ff5547289185cc4583dfcbd5'],
    ['v2', 'knightswap-finance', '0xf0bc2e21a76513aa7cc2730c7a1d6dee0790751f'],
    ['v2', 'kyotoswap', '0x1c3e50dbbcd05831c3a695d45d2b5bcd691ad8d8'],
    ['v2', 'leonicornswap', '0xeb10f4fe2a57383215646b4ac0da70f8edc69d4f', 3000],
    ['v2', 'padswap', '0xb836017acf10b8a7c6c6c9e99efe0f5b0250fc45'],
    ['v2', 'pandora', '0xff9a4e72405df3ca3d909523229677e6b2b8dc71'],
    ['v2', 'pinkswap', '0x7d2ce25c28334e40f37b2a068ec8d5a59f11ea54'],
    ['v2', 'radioshack', '0x98957ab49b8bc9f7ddbcfd8bcc83728085ecb238'],
    ['v2', 'sphynx', '0x8ba1a4c24de655136ded68410e222cca80d43444', 3000],
    ['v2', 'squadswap-dynamo', '0x918adf1f2c03b244823cd712e010b6e3cd653dba'],
    ['v2', 'squadswap-v2', '0x1d9f43a6195054313ac1ae423b1f810f593b6ac1'],
    ['v2', 'swapsicle', '0xee673452bd981966d4799c865a96e0b92a8d0e45'],
    ['v2', 'titano-swych', '0x80f112cd8ac529d6993090a0c9a04e01d495bfbf', 2500],
    ['v2', 'traderjoe-v1', '0x4f8bdc85e3eec5b9de67097c3f59b6db025d9986', 3000],
    ['v2', 'wardenswap', '0x3657952d7ba5a0a4799809b5b6fdff9ec5b46293'],
    ['v2', 'whaleswap', '0xabc26f8364cc0dd728ac5c23fa40886fda3dd121'],
    ['v2', 'wineryswap', '0x79c342fddbbf376ca6b4efac7aaa457d6063f8cb'],
    ['v2', 'yieldfields', '0x0a376ee063184b444ff66a9a22ad91525285fe1c'],
    ['v2', 'yoshi-exchange', '0x542b6524abf0bd47dc191504e38400ec14d0290c'],
  ],
  avalanche: [
    ['v2', 'pangolin-v2', '0xefa94de7a4656d787667c749f7e1223d71e9fd88', 3000],
    ['v2', 'traderjoe-v1', '0x9ad6c38be94206ca50bb0d90783181662f0cfa10', 3000],
  ],
};

function toUnchecked([kind, venue, factory, feePips = USUAL_FEE_PIPS]: ForkRow): V2Fork {
  const place = { venue, factory: evmAddress(factory), router: null };
  const unsearched = { ...place, universalRouter: false, isSearched: false } as const;
  if (kind === 'solidly') return { ...unsearched, layout: 'solidlyFork', feePips: 0 };
  return { ...unsearched, feePips, isFeeUnchecked: true };
}

export const PAIR_CONTRACTS: VenueTable = Object.fromEntries(
  (Object.entries(FORKS) as [BuiltInSlug, readonly V2Fork[]][]).map(([chain, forks]) => {
    const v2 = [...forks, ...(UNCHECKED[chain] ?? []).map(toUnchecked)];
    return [chain, { v2, routers: ROUTERS[chain] ?? [] }];
  }),
);
