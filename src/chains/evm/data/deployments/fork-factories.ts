// Factories of forks, by their chain: from DefiLlama's list of exchanges. Nothing of them was
// checked but that their pools and they name each other, which is asked when a pool is met. So
// their swaps are stored and never promised to the unit, and the chain's router does not trade
// there. Early factories of Aerodrome, Velodrome and Camelot with few pools are here, too.

import type { V3LayoutName } from '../../../../model/chain-contracts.ts';
import type { V2Fork, V3Fork } from './evm-deployment.ts';
import { evmAddress } from '../evm-ids.ts';

type ForkKind = 'v2' | 'v3' | 'solidly' | Exclude<V3LayoutName, 'uniswap'>;
/** Kind, venue, factory, and the fee that is claimed for all its pairs, in pips. */
type ForkRow = readonly [ForkKind, string, string, number?];

/** Of most forks no fee is stated. */
const USUAL_FEE_PIPS = 3000;

const ETHEREUM: readonly ForkRow[] = [
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
  ['solidlyV3', 'solidly-v3', '0x70fe4a44ea505cfa3a57b95cf2862d4fd5f0f687'],
  ['kyberElastic', 'kyber-elastic', '0xc7a590291e07b9fe9e64b86c58fd8fc764308c4a'],
  ['v3', 'shibaswap-v2', '0xd9ce49caf7299daf18fffcb2b84a44fd33412509'],
  ['v3', 'wagmi', '0xb9a14ee1cd3417f3acc988f61650895151abde24'],
];

const BASE: readonly ForkRow[] = [
  ['solidlyV3', 'solidly-v3', '0x70fe4a44ea505cfa3a57b95cf2862d4fd5f0f687'],
  ['slipstream', 'aerodrome-slipstream-0', '0x9592cd9b267748cbfbde90ac9f7df3c437a6d51b'],
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
  ['v3', 'two-thick', '0x7ca1dccfb4f49564b8f13e18a67747fd428f1c40'],
  ['v3', '2thick-v3', '0xe6da85feb3b4e0d6aed95c41a125fba859bb9d24'],
  ['v3', 'alienbase-v3', '0x0fd83557b2be93617c9c1c1b6fd549401c74558c'],
  ['v3', 'derpdex', '0xeddef4273518b137cdbcb3a7fa1c6a688303dfe2'],
  ['v3', 'goblin-dex', '0xe82fa4d4ff25bad8b07c4d1ebd50e83180dd5eb8'],
  ['v3', 'omni-exchange-v3', '0xd6ab0566e7e60b67c50ac73ddff4e3ddcb829ec2'],
  ['v3', 'throne-v3', '0xe8839bf8175812691c6578c0fc80e721bc3e00fb'],
  ['v3', 'wagmi', '0x576a1301b42942537d38fb147895fe83fb418fd4'],
];

const ARBITRUM: readonly ForkRow[] = [
  ['v3', 'ramses-v2', '0xaa2cd7477c451e703f3b9ba5663334914763edf8'],
  ['kyberElastic', 'kyber-elastic', '0xc7a590291e07b9fe9e64b86c58fd8fc764308c4a'],
  ['algebraDirectional', 'camelot-v3-2', '0xd490f2f6990c0291597fd1247651b4e0dcf684dd'],
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
  ['v3', 'chronos-v2', '0x4db9d624f67e00dbf8ef7ae0e0e8ee54af1dee49'],
  ['v3', 'crescent-swap', '0x8219904a8683d06e38605276bacbf2d29aa764dd'],
  ['v3', 'horiza', '0x5b1c257b88537d1ce2af55a1760336288ccd28b6'],
  ['v3', 'omni-exchange-v3', '0xd6ab0566e7e60b67c50ac73ddff4e3ddcb829ec2'],
  ['v3', 'thick', '0xe6da85feb3b4e0d6aed95c41a125fba859bb9d24'],
];

const OPTIMISM: readonly ForkRow[] = [
  ['kyberElastic', 'kyber-elastic', '0xc7a590291e07b9fe9e64b86c58fd8fc764308c4a'],
  ['solidlyV3', 'solidly-v3', '0x70fe4a44ea505cfa3a57b95cf2862d4fd5f0f687'],
  ['slipstream', 'velodrome-slipstream-0', '0x548118c7e0b865c2cfa94d15ec86b666468ac758'],
  ['solidly', 'archly-finance-v2', '0x12508dd9108abab2c5fd8fc6e4984e46a3cf7824'],
  ['v2', 'dackieswap-v2', '0xaedc38bd52b0380b2af4980948925734fd54fbf4'],
  ['v2', 'elk', '0xedfad3a0f42a8920b011bb0332ade632e552d846', 3000],
  ['v2', 'omni-exchange-v2', '0x7d9d51267f7e9e6b46a48e0a75c0086f46777087', 3000],
  ['v2', 'superswap-v2', '0x22505cb4d5d10b2c848a9d75c57ea72a66066d8c'],
  ['v2', 'swapsicle', '0x2f0c7c98462651bb2102f6cd05acdad333e031b0'],
  ['solidly', 'velodrome-v1', '0x25cbddb98b35ab1ff77413456b31ec81a6b6b746'],
  ['v3', 'omni-exchange-v3', '0xd6ab0566e7e60b67c50ac73ddff4e3ddcb829ec2'],
  ['v3', 'superswap-v3', '0xe52a36bb76e8f40e1117db5ff14bd1f7b058b720'],
];

const POLYGON: readonly ForkRow[] = [
  ['kyberElastic', 'kyber-elastic', '0xc7a590291e07b9fe9e64b86c58fd8fc764308c4a'],
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
  ['v3', 'retro', '0x91e1b99072f238352f59e58de875691e20dc19c1'],
];

const BSC: readonly ForkRow[] = [
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
  ['v3', 'goblin-dex', '0x30d9e1f894fbc7d2227dd2a017f955d5586b1e14'],
  ['v3', 'omni-exchange-v3', '0xd6ab0566e7e60b67c50ac73ddff4e3ddcb829ec2'],
  ['v3', 'squadswap-v3', '0x009c4ef7c0e0dd6bd1ea28417c01ea16341367c3'],
  ['v3', 'squadswap-wow', '0x10d8612d9d8269e322ab551c18a307cb4d6bc07b'],
  ['v3', 'unchain-x', '0x82fa7b2ce2a76c7888a9d3b0a81e0b2ecfd8d40c'],
];

const ROWS = {
  ethereum: ETHEREUM,
  base: BASE,
  arbitrum: ARBITRUM,
  optimism: OPTIMISM,
  polygon: POLYGON,
  bsc: BSC,
} as const;

const UNSEARCHED = { universalRouter: false, isSearched: false } as const;

export function listV2Forks(chain: keyof typeof ROWS): V2Fork[] {
  return ROWS[chain].flatMap(([kind, venue, factory, feePips = USUAL_FEE_PIPS]): V2Fork[] => {
    const place = { ...UNSEARCHED, venue, factory: evmAddress(factory), router: null };
    if (kind === 'solidly') return [{ ...place, layout: 'solidlyFork', feePips: 0 }];
    return kind === 'v2' ? [{ ...place, feePips, isFeeUnchecked: true }] : [];
  });
}

export function listV3Forks(chain: keyof typeof ROWS): V3Fork[] {
  return ROWS[chain].flatMap(([kind, venue, factory]): V3Fork[] => {
    if (kind === 'v2' || kind === 'solidly') return [];
    const place = { ...UNSEARCHED, venue, factory: evmAddress(factory), quoter: null };
    return [kind === 'v3' ? place : { ...place, layout: kind }];
  });
}
