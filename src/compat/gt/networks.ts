// The names that clients of the GeckoTerminal API know chains and exchanges by.

import type { OutputOf } from '../../contract/operation.ts';
import type { getChains } from '../../contract/operations/get-chains.ts';

const NETWORKS: Readonly<Record<string, { readonly network: string; readonly platform: string }>> =
  {
    ethereum: { network: 'eth', platform: 'ethereum' },
    base: { network: 'base', platform: 'base' },
    bsc: { network: 'bsc', platform: 'binance-smart-chain' },
    polygon: { network: 'polygon_pos', platform: 'polygon-pos' },
    arbitrum: { network: 'arbitrum', platform: 'arbitrum-one' },
    optimism: { network: 'optimism', platform: 'optimistic-ethereum' },
    solana: { network: 'solana', platform: 'solana' },
  };

/** Another chain keeps its name. */
export function toNetwork(slug: string): string {
  return Object.hasOwn(NETWORKS, slug) ? (NETWORKS[slug]?.network ?? slug) : slug;
}

export function findPlatform(slug: string): string | null {
  return Object.hasOwn(NETWORKS, slug) ? (NETWORKS[slug]?.platform ?? null) : null;
}

export function toSlug(network: string): string {
  const known = Object.entries(NETWORKS).find(([, names]) => names.network === network);
  return known?.[0] ?? network;
}

type FollowedChain = OutputOf<typeof getChains>['chains'][number];

/** By chain, where the name differs there; by `*` on all others. */
const DEXES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'uniswap-v2': { ethereum: 'uniswap_v2' },
  'uniswap-v3': {
    ...{ ethereum: 'uniswap_v3', arbitrum: 'uniswap_v3_arbitrum' },
    ...{ optimism: 'uniswap_v3_optimism', base: 'uniswap-v3-base' },
  },
  'uniswap-v4': { ethereum: 'uniswap-v4-ethereum', base: 'uniswap-v4-base' },
  'pancakeswap-v2': { bsc: 'pancakeswap_v2' },
  'pancakeswap-v3': { bsc: 'pancakeswap-v3-bsc', base: 'pancakeswap-v3-base' },
  'aerodrome-v2': { base: 'aerodrome-base' },
  'velodrome-slipstream': { optimism: 'velodrome-finance-slipstream' },
  'sushiswap-v2': { ethereum: 'sushiswap' },
  'sushiswap-v3': { ethereum: 'sushiswap-v3-ethereum' },
  'raydium-v4': { '*': 'raydium' },
  'raydium-cpmm': { '*': 'raydium' },
  'orca-whirlpool': { '*': 'orca' },
  'meteora-dlmm': { '*': 'meteora' },
  pump: { '*': 'pump-fun' },
};

/** Another venue keeps its name. */
export function toDex(chain: string, venue: string): string {
  const names = Object.hasOwn(DEXES, venue) ? DEXES[venue] : undefined;
  return names?.[chain] ?? names?.['*'] ?? venue;
}

/** `uniswap_v3` → `Uniswap V3`. */
export function nameDex(dex: string): string {
  const words = dex.split(/[-_]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** Those of a chain that have a name there: several may share one. */
export function listVenuesOf(chain: FollowedChain, dex: string): string[] {
  return chain.venues.filter((venue) => toDex(chain.slug, venue) === dex);
}
