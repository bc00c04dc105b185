// The chains that Mintwire knows by name, whether or not this server follows them.

export const CHAIN_SLUGS = [
  'ethereum',
  'base',
  'arbitrum',
  'optimism',
  'polygon',
  'bsc',
  'solana',
  'devnet',
] as const;

export type ChainSlug = (typeof CHAIN_SLUGS)[number];

export interface ChainInfo {
  readonly slug: ChainSlug;
  readonly name: string;
  /** CAIP-2 identifier, accepted wherever a slug is. */
  readonly caip2: string;
  readonly family: 'evm' | 'solana';
  /** EIP-155 chain id; null for chains without one. */
  readonly chainId: number | null;
  readonly native: { readonly symbol: string; readonly decimals: number };
}

/**
 * The families whose chains can be followed: those with `markets` (chains/family.ts). Settings
 * depend on it, which are read before any family is loaded.
 */
export const FOLLOWED_FAMILIES: ReadonlySet<ChainInfo['family']> = new Set(['evm']);

function evmChain(
  slug: ChainSlug,
  chain: { name: string; chainId: number; symbol: string },
): ChainInfo {
  return {
    slug,
    name: chain.name,
    caip2: `eip155:${chain.chainId}`,
    family: 'evm',
    chainId: chain.chainId,
    native: { symbol: chain.symbol, decimals: 18 },
  };
}

export const CHAINS: Readonly<Record<ChainSlug, ChainInfo>> = {
  ethereum: evmChain('ethereum', { name: 'Ethereum', chainId: 1, symbol: 'ETH' }),
  base: evmChain('base', { name: 'Base', chainId: 8453, symbol: 'ETH' }),
  arbitrum: evmChain('arbitrum', { name: 'Arbitrum One', chainId: 42161, symbol: 'ETH' }),
  optimism: evmChain('optimism', { name: 'OP Mainnet', chainId: 10, symbol: 'ETH' }),
  polygon: evmChain('polygon', { name: 'Polygon PoS', chainId: 137, symbol: 'POL' }),
  bsc: evmChain('bsc', { name: 'BNB Smart Chain', chainId: 56, symbol: 'BNB' }),
  solana: {
    slug: 'solana',
    name: 'Solana',
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    family: 'solana',
    chainId: null,
    native: { symbol: 'SOL', decimals: 9 },
  },
  // Not 31337: Permit2's published bytecode has a wrong domain separator for that id.
  devnet: evmChain('devnet', { name: 'Local devnet', chainId: 1337, symbol: 'ETH' }),
};

const BY_NAME: ReadonlyMap<string, ChainInfo> = new Map(
  Object.values(CHAINS).flatMap((chain) => [
    [chain.slug, chain],
    [chain.caip2, chain],
  ]),
);

/** Resolves a slug or CAIP-2 identifier; null for an unknown chain. */
export function findChain(name: string): ChainInfo | null {
  return BY_NAME.get(name) ?? null;
}
