// Balancer's vaults, and the factories of its weighted pools, by chain.

import type { Address } from '../../../../model/ids.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import type { ReadDevnet, VenueTable } from '../venue-table.ts';

/** A contract that holds the tokens of many pools and emits their swaps, with both tokens. */
export interface BalancerVault {
  readonly venue: string;
  readonly vault: Address;
  readonly version: 2 | 3;
  /** V2: the factories of weighted pools; those of 2021 first, whose pools round otherwise. */
  readonly weighted?: { readonly first: readonly Address[]; readonly later: readonly Address[] };
}

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

export const readDevnetVaults: ReadDevnet = (file) => {
  const others = file.findPart('others');
  if (others === null) return {};
  const weighted = { first: [others.find('weightedFactory')], later: [] };
  const vault = others.find('balancerVault');
  return { balancer: [{ venue: 'balancer-v2', vault, version: 2, weighted }] };
};

export const VAULT_CONTRACTS: VenueTable = {
  ethereum: { balancer: [V2_VAULTS.ethereum, V3_VAULT] },
  base: { balancer: [V2_VAULTS.base, V3_VAULT] },
  arbitrum: { balancer: [V2_VAULTS.arbitrum, V3_VAULT] },
  optimism: { balancer: [V2_VAULTS.optimism, V3_VAULT] },
  polygon: { balancer: [V2_VAULTS.polygon] },
  bsc: { balancer: [V2_VAULTS.bsc] },
};
