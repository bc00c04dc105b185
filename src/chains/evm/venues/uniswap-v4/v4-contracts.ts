// Contracts of Uniswap V4 and the Universal Routers, by chain, from Uniswap's repositories.

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

function routerAt(address: string, version: '2.0' | '2.1'): EvmDeployment['universalRouter'] {
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
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    readonly v4: V4Deployment | null;
  }
}
