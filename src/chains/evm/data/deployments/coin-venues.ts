// Venues that are neither V2-like nor V3-like: Balancer's vaults, Curve's registries, the managers
// of PancakeSwap Infinity, the factories of DODO and Maverick. Those of DODO come from DefiLlama's
// adapters, that of Maverick from public integrations.

import type { BalancerVault, EvmDeployment } from './evm-deployment.ts';
import { evmAddress } from '../evm-ids.ts';

/** It has the same address on every chain. Factories: npm `@balancer-labs/v2-deployments`. */
function v2Vault(factories: {
  readonly first: readonly string[];
  readonly later: readonly string[];
}) {
  return {
    ...{ venue: 'balancer-v2', version: 2 },
    vault: evmAddress('0xba12222222228d8ba445958a75a0704d566bf2c8'),
    weighted: {
      first: factories.first.map(evmAddress),
      later: factories.later.map(evmAddress),
    },
  } satisfies BalancerVault;
}

const V2_VAULTS = {
  ethereum: v2Vault({
    first: [
      '0x8e9aa87e45e92bad84d5f8dd1bff34fb92637de9',
      '0xa5bf2ddf098bb0ef6d120c98217dd6b141c74ee0',
    ],
    later: [
      '0xcc508a455f5b0073973107db6a878ddbdab957bc',
      '0x5dd94da3644ddd055fcf6b3e1aa310bb7801eb8b',
      '0x897888115ada5773e02aa29f775430bfb5f34c51',
    ],
  }),
  base: v2Vault({ first: [], later: ['0x4c32a8a8fda4e24139b51b456b42290f51d6a1c4'] }),
  arbitrum: v2Vault({
    first: [
      '0x7dfdef5f355096603419239ce743bfaf1120312b',
      '0xcf0a32bbef8f064969f21f7e02328fb577382018',
    ],
    later: [
      '0x8df6efec5547e31b0eb7d1291b511ff8a2bf987c',
      '0xf1665e19bc105be4edd3739f88315cc699cc5b65',
      '0xc7e5ed1054a24ef31d827e6f86caa58b3bc168d7',
    ],
  }),
  optimism: v2Vault({
    first: [
      '0xdae7e32adc5d490a43ccba1f0c736033f2b4efca',
      '0x0f3e0c4218b7b0108a3643cfe9d3ec0d4f57c54e',
    ],
    later: [
      '0xad901309d9e9dbc5df19c84f729f429f0189a633',
      '0xa0dabebaad1b243bbb243f933013d560819eb66f',
      '0x230a59f4d9adc147480f03b0d3fffecd56c3289a',
    ],
  }),
  polygon: v2Vault({
    first: [
      '0x8e9aa87e45e92bad84d5f8dd1bff34fb92637de9',
      '0xa5bf2ddf098bb0ef6d120c98217dd6b141c74ee0',
    ],
    later: [
      '0x0e39c3d9b2ec765efd9c5c70bb290b1fcd8536e3',
      '0x82e4cfaef85b1b6299935340c964c942280327f4',
      '0xfc8a407bba312ac761d8bfe04ce1201904842b76',
    ],
  }),
  bsc: v2Vault({
    first: [],
    later: [
      '0xc128a9954e6c874ea3d62ce62b468ba073093f25',
      '0x6e4cf292c5349c79ccd66349c3ed56357dd11b46',
      '0x230a59f4d9adc147480f03b0d3fffecd56c3289a',
    ],
  }),
} as const;
const V3_VAULT: BalancerVault = {
  ...{ venue: 'balancer-v3', version: 3 },
  vault: evmAddress('0xba1333333333a1ba1108e8412f11850a5c319ba9'),
};

/** The factory of twocrypto pools has one address on most chains. */
const TWOCRYPTO = '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f';

/** The same on each chain that has them. */
const INFINITY = {
  infinity: {
    vault: evmAddress('0x238a358808379702088667322f80ac48bad5e6c4'),
    ranges: evmAddress('0xa0ffb9c1ce1fe56963b0321b32e7a0302114058b'),
    bins: evmAddress('0xc697d2898e0d09264376196696c51d7abbbaa4a9'),
  },
} as const;
const MAVERICK = { maverick: evmAddress('0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e') } as const;

type OtherVenues = Pick<
  EvmDeployment,
  'balancer' | 'curve' | 'curveStable' | 'infinity' | 'dodo' | 'maverick'
>;

function listVenues(
  balancer: readonly BalancerVault[],
  lists: {
    readonly curveStable: string;
    readonly curve: readonly string[];
    readonly dodo: readonly string[];
  },
): OtherVenues {
  const curveStable = evmAddress(lists.curveStable);
  const dodo = lists.dodo.map(evmAddress);
  return { balancer, curveStable, curve: [...lists.curve.map(evmAddress), curveStable], dodo };
}

export const COIN_VENUES = {
  ethereum: {
    ...listVenues([V2_VAULTS.ethereum, V3_VAULT], {
      curveStable: '0x6a8cbed756804b16e05e741edabd5cb544ae21bf',
      curve: [
        '0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc', // MetaRegistry: knows the older pools, too
        TWOCRYPTO,
        '0x0c0e5f2ff0ff18a3be9b835635039256dc4b4963',
      ],
      dodo: [
        '0x72d220ce168c4f361dd4dee5d826a01ad8598f6c',
        '0x6fddb76c93299d985f4d3fc7ac468f9a168577a4',
        '0x5336ede8f971339f6c0e304c66ba16f1296a2fbe',
        '0xb5dc5e183c2acf02ab879a8569ab4edaf147d537',
        '0x6b4fa0bc61eddc928e0df9c7f01e407bfcd3e5ef',
        '0x710409d2121b7c8ea4acadd6803fde2d85df6473',
      ],
    }),
    ...MAVERICK,
  },
  base: {
    ...listVenues([V2_VAULTS.base, V3_VAULT], {
      curveStable: '0xd2002373543ce3527023c75e7518c274a51ce712',
      curve: [
        '0xc9fe0c63af9a39402e8a5514f9c43af0322b665f',
        '0xa5961898870943c68037f6848d2d866ed2016bcb',
      ],
      dodo: [
        '0x0226fce8c969604c3a0ad19c37d1fafac73e13c2',
        '0x200d866edf41070de251ef92715a6ea825a5eb80',
        '0xc0f9553df63de5a97fe64422c8578d0657c360f7',
      ],
    }),
    ...INFINITY,
    ...MAVERICK,
  },
  arbitrum: {
    ...listVenues([V2_VAULTS.arbitrum, V3_VAULT], {
      curveStable: '0x9af14d26075f142eb3f292d5065eb3faa646167b',
      curve: [TWOCRYPTO, '0xbc0797015fcfc47d9c1856639cae50d0e69fbee8'],
      dodo: [
        '0xda4c4411c55b0785e501332354a036c04833b72b',
        '0xc8fe2440744dcd733246a4db14093664defd5a53',
        '0xddb13e6dd168e1a68dc2285cb212078ae10394a9',
        '0xa6cf3d163358af376ec5e8b7cc5e102a05fde63d',
        '0x46e55a974c5995675b025f7f607c3278b36f0c29',
      ],
    }),
    ...MAVERICK,
  },
  optimism: {
    ...listVenues([V2_VAULTS.optimism, V3_VAULT], {
      curveStable: '0x5eee3091f747e60a045a2e715a4c71e600e31f6e',
      curve: [TWOCRYPTO, '0xc6c09471ee39c7e30a067952fcc89c8922f9ab53'],
      dodo: [
        '0x2b800dc6270726f7e2266ce8cd5a3f8436fe0b40',
        '0x1f83858cd6d0ae7a08ab1fd977c06dabece6d711',
        '0xdb9c53f2ced34875685b607c97a61a65da2f30a8',
      ],
    }),
  },
  polygon: {
    ...listVenues([V2_VAULTS.polygon], {
      curveStable: '0x1764ee18e8b3cca4787249ceb249356192594585',
      curve: [TWOCRYPTO, '0xc1b393efef38140662b91441c6710aa704973228'],
      dodo: [
        '0x79887f65f83bdf15bcc8736b5e5bcdb48fb8fe13',
        '0x43c49f8dd240e1545f147211ec9f917376ac1e87',
        '0xd24153244066f0afa9415563bfc7ba248bfb7a51',
        '0x95e887adf9eaa22cc1c6e3cb7f07adc95b4b25a8',
      ],
    }),
  },
  bsc: {
    ...listVenues([V2_VAULTS.bsc], {
      curveStable: '0xd7e72f3615aa65b92a4dbdc211e296a35512988b',
      curve: [TWOCRYPTO, '0xc55837710bc500f1e3c7bb9dd1d51f7c5647e657'],
      dodo: [
        '0x790b4a80fb1094589a3c0efc8740aa9b0c1733fb',
        '0xf50bdc9e90b7a1c138cb7935071b85c417c4cb8e',
        '0x0fb9815938ad069bf90e14fe6c596c514bede767',
        '0xd9cac3d964327e47399aebd8e1e6dcc4c251daae',
        '0x7737fd30535c69545deeea54ab8dd590ccaebd3c',
        '0x9b64c81ba54ea51e1f6b7fefb3cff8aa6f1e2a09',
        '0xafe0a75dffb395eaabd0a7e1bbbd0b11f8609eef',
        '0x78d43a889f42a344fe98c3fb9455791dc8178d55',
      ],
    }),
    ...INFINITY,
    ...MAVERICK,
  },
} as const;
