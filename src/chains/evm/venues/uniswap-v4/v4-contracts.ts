// Contracts of Uniswap V4 and the Universal Routers, by chain, from Uniswap's repositories (sdks,
// contracts/deployments, universal-router, docs); docs/chains.md says which names what.

import type { UniversalRouterVersion } from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import type { VenueTable } from '../venue-table.ts';

export interface V4Deployment {
  readonly venue: string;
  readonly poolManager: Address;
  readonly positionManager: Address;
  readonly stateView: Address;
  readonly quoter: Address;
}

type V4Contracts = Exclude<keyof V4Deployment, 'venue'>;

function uniswapV4(contracts: Readonly<Record<V4Contracts, string>>): V4Deployment {
  return {
    venue: 'uniswap-v4',
    poolManager: evmAddress(contracts.poolManager),
    positionManager: evmAddress(contracts.positionManager),
    stateView: evmAddress(contracts.stateView),
    quoter: evmAddress(contracts.quoter),
  };
}

function routerAt(
  address: string,
  version: UniversalRouterVersion,
): EvmDeployment['universalRouter'] {
  return { address: evmAddress(address), version };
}

export const V4_CONTRACTS: VenueTable = {
  ethereum: {
    v4: uniswapV4({
      poolManager: '0x000000000004444c5dc75cb358380d2e3de08a90',
      positionManager: '0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e',
      stateView: '0x7ffe42c4a5deea5b0fec41c94c136cf115597227',
      quoter: '0x52f0e24d1c21c8a0cb1e5a5dd6198556bd9e1203',
    }),
    universalRouter: routerAt('0x66a9893cc07d91d95644aedd05d03f95e1dba8af', '2.0'),
  },
  base: {
    v4: uniswapV4({
      poolManager: '0x498581ff718922c3f8e6a244956af099b2652b2b',
      positionManager: '0x7c5f5a4bbd8fd63184577525326123b519429bdc',
      stateView: '0xa3c0c9b65bad0b08107aa264b0f3db444b867a71',
      quoter: '0x0d5e0f971ed27fbff6c2837bf31316121532048d',
    }),
    universalRouter: routerAt('0x6ff5693b99212da76ad316178a184ab56d299b43', '2.0'),
  },
  arbitrum: {
    v4: uniswapV4({
      poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
      positionManager: '0xd88f38f930b7952f2db2432cb002e7abbf3dd869',
      stateView: '0x76fd297e2d437cd7f76d50f01afe6160f86e9990',
      quoter: '0x3972c00f7ed4885e145823eb7c655375d275a1c5',
    }),
    universalRouter: routerAt('0xa51afafe0263b40edaef0df8781ea9aa03e381a3', '2.0'),
  },
  optimism: {
    v4: uniswapV4({
      poolManager: '0x9a13f98cb987694c9f086b1f5eb990eea8264ec3',
      positionManager: '0x3c3ea4b57a46241e54610e5f022e5c45859a1017',
      stateView: '0xc18a3169788f4f75a170290584eca6395c75ecdb',
      quoter: '0x1f3131a13296fb91c90870043742c3cdbff1a8d7',
    }),
    universalRouter: routerAt('0x851116d9223fabed8e56c0e6b8ad0c31d98b3507', '2.0'),
  },
  polygon: {
    v4: uniswapV4({
      poolManager: '0x67366782805870060151383f4bbff9dab53e5cd6',
      positionManager: '0x1ec2ebf4f37e7363fdfe3551602425af0b3ceef9',
      stateView: '0x5ea1bd7974c8a611cbab0bdcafcb1d9cc9b3ba5a',
      quoter: '0xb3d5c3dfc3a7aebff71895a7191796bffc2c81b9',
    }),
    universalRouter: routerAt('0x1095692a6237d83c6a72f3f5efedb9a670c49223', '2.0'),
  },
  bsc: {
    v4: uniswapV4({
      poolManager: '0x28e2ea090877bf75740558f6bfb36a5ffee9e9df',
      positionManager: '0x7a4a5c919ae2541aed11041a1aeee68f1287f95b',
      stateView: '0xd13dd3d6e93f276fafc9db9e6bb47c1180aee0c4',
      quoter: '0x9f75dd27d6664c475b90e105573e550ff69437b0',
    }),
    universalRouter: routerAt('0x1906c1d672b88cd1b9ac7593301ca990f94eae07', '2.0'),
  },
  unichain: {
    v4: uniswapV4({
      poolManager: '0x1f98400000000000000000000000000000000004',
      positionManager: '0x4529a01c7a0410167c5740c487a8de60232617bf',
      stateView: '0x86e8631a016f9068c3f085faf484ee3f5fdee8f2',
      quoter: '0x333e3c607b141b18ff6de9f258db6e77fe7491e0',
    }),
    universalRouter: routerAt('0xef740bf23acae26f6492b10de645d6b98dc8eaf3', '2.0'),
  },
  robinhood: {
    v4: uniswapV4({
      poolManager: '0x8366a39cc670b4001a1121b8f6a443a643e40951',
      positionManager: '0x58daec3116aae6d93017baaea7749052e8a04fa7',
      stateView: '0xf3334192d15450cdd385c8b70e03f9a6bd9e673b',
      quoter: '0x8dc178efb8111bb0973dd9d722ebeff267c98f94',
    }),
    universalRouter: routerAt('0x8876789976decbfcbbbe364623c63652db8c0904', '2.1.1'),
  },
  avalanche: {
    v4: uniswapV4({
      poolManager: '0x06380c0e0912312b5150364b9dc4542ba0dbbc85',
      positionManager: '0xb74b1f14d2754acfcbbe1a221023a5cf50ab8acd',
      stateView: '0xc3c9e198c735a4b97e3e683f391ccbdd60b69286',
      quoter: '0xbe40675bb704506a3c2ccfb762dcfd1e979845c2',
    }),
    universalRouter: routerAt('0x94b75331ae8d42c1b61065089b7d48fe14aa73b7', '2.0'),
  },
  linea: {
    v4: uniswapV4({
      poolManager: '0x248083fb965359d82b06c1f5322480dcfc1ad857',
      positionManager: '0xddcad5775b2816a87495f207731b3571d7ee3c76',
      stateView: '0xe861de206e460a8b936b05ad3816520b58ccdf9b',
      quoter: '0x2c125569c0bee20a66e33e5491c552b37ebd9934',
    }),
    universalRouter: routerAt('0x661e93cca42afacb172121ef892830ca3b70f08d', '2.0'),
  },
  monad: {
    v4: uniswapV4({
      poolManager: '0x188d586ddcf52439676ca21a244753fa19f9ea8e',
      positionManager: '0x5b7ec4a94ff9bedb700fb82ab09d5846972f4016',
      stateView: '0x77395f3b2e73ae90843717371294fa97cc419d64',
      quoter: '0xa222dd357a9076d1091ed6aa2e16c9742dd26891',
    }),
    universalRouter: routerAt('0x0d97dc33264bfc1c226207428a79b26757fb9dc3', '2.0'),
  },
  ink: {
    v4: uniswapV4({
      poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
      positionManager: '0x1b35d13a2e2528f192637f14b05f0dc0e7deb566',
      stateView: '0x76fd297e2d437cd7f76d50f01afe6160f86e9990',
      quoter: '0x3972c00f7ed4885e145823eb7c655375d275a1c5',
    }),
    universalRouter: routerAt('0x112908dac86e20e7241b0927479ea3bf935d1fa0', '2.0'),
  },
  soneium: {
    v4: uniswapV4({
      poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
      positionManager: '0x1b35d13a2e2528f192637f14b05f0dc0e7deb566',
      stateView: '0x76fd297e2d437cd7f76d50f01afe6160f86e9990',
      quoter: '0x3972c00f7ed4885e145823eb7c655375d275a1c5',
    }),
    universalRouter: routerAt('0x0e2850543f69f678257266e0907ff9a58b3f13de', '2.0'),
  },
  worldchain: {
    v4: uniswapV4({
      poolManager: '0xb1860d529182ac3bc1f51fa2abd56662b7d13f33',
      positionManager: '0xc585e0f504613b5fbf874f21af14c65260fb41fa',
      stateView: '0x51d394718bc09297262e368c1a481217fdeb71eb',
      quoter: '0x55d235b3ff2daf7c3ede0defc9521f1d6fe6c5c0',
    }),
    universalRouter: routerAt('0x8ac7bee993bb44dab564ea4bc9ea67bf9eb5e743', '2.0'),
  },
  zora: {
    v4: uniswapV4({
      poolManager: '0x0575338e4c17006ae181b47900a84404247ca30f',
      positionManager: '0xf66c7b99e2040f0d9b326b3b7c152e9663543d63',
      stateView: '0x385785af07d63b50d0a0ea57c4ff89d06adf7328',
      quoter: '0x5edaccc0660e0a2c44b06e07ce8b915e625dc2c6',
    }),
    universalRouter: routerAt('0x3315ef7ca28db74abadc6c44570efdf06b04b020', '2.0'),
  },
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    readonly v4: V4Deployment | null;
  }
}
