// Chains by name. Some are built in; an operator's file (`CHAINS_FILE`) may add others.

export const BUILT_IN_SLUGS = [
  'ethereum',
  'base',
  'arbitrum',
  'optimism',
  'polygon',
  'bsc',
  'unichain',
  'robinhood',
  'avalanche',
  'linea',
  'monad',
  'ink',
  'soneium',
  'worldchain',
  'zora',
  'solana',
  'devnet',
  'devnet-solana',
] as const;

export type BuiltInSlug = (typeof BUILT_IN_SLUGS)[number];

/** The embedded chains, which describe themselves and have settings of their own. */
export const EMBEDDED_SLUGS = ['devnet', 'devnet-solana'] as const;

export type EmbeddedSlug = (typeof EMBEDDED_SLUGS)[number];

declare const brand: unique symbol;

/** The slug of a chain that is described by `CHAINS_FILE`; only a parser makes one. */
type CustomSlug = string & { readonly [brand]: 'CustomSlug' };

export type ChainSlug = BuiltInSlug | CustomSlug;

/** How an amount of a chain's own coin is shown. */
export interface CoinUnit {
  readonly symbol: string;
  readonly decimals: number;
}

export interface ChainInfo {
  readonly slug: ChainSlug;
  readonly name: string;
  /** CAIP-2 identifier, accepted wherever a slug is. */
  readonly caip2: string;
  readonly family: 'evm' | 'solana';
  /** EIP-155 chain id; null for chains without one. */
  readonly chainId: number | null;
  readonly native: CoinUnit;
  /** The explorer's origin and path, without a slash at the end; null if there is none. */
  readonly explorerUrl: string | null;
}

/**
 * The families whose chains can be followed: those with `markets` (chains/family.ts). Settings
 * depend on it, which are read before any family is loaded.
 */
export const FOLLOWED_FAMILIES: ReadonlySet<ChainInfo['family']> = new Set(['evm', 'solana']);

/** Short, so that the names of settings stay readable. Schemas have it, too. */
export const SLUG_PATTERN = '^[a-z][a-z0-9-]{1,31}$';

const SLUG = new RegExp(SLUG_PATTERN);

/** A slug of any chain, known here or not; null if the text cannot be one. */
export function parseChainSlug(text: string): ChainSlug | null {
  return SLUG.test(text) ? (text as ChainSlug) : null;
}

export function isBuiltIn(slug: ChainSlug): slug is BuiltInSlug {
  return (BUILT_IN_SLUGS as readonly string[]).includes(slug);
}

export function isEmbedded(slug: ChainSlug): slug is EmbeddedSlug {
  return (EMBEDDED_SLUGS as readonly string[]).includes(slug);
}

/** Which family a chain belongs to: `CHAINS_FILE` describes EVM chains only. */
export function findFamilyName(slug: ChainSlug): ChainInfo['family'] {
  return isBuiltIn(slug) ? BUILT_IN_CHAINS[slug].family : 'evm';
}

/** What the names of a chain's settings end with, such as `MY_CHAIN` for `my-chain`. */
export function toSettingSuffix(slug: ChainSlug): string {
  return slug.toUpperCase().replaceAll('-', '_');
}

export function describeEvmChain(
  slug: ChainSlug,
  chain: {
    readonly name: string;
    readonly chainId: number;
    readonly native: CoinUnit;
    readonly explorerUrl: string | null;
  },
): ChainInfo {
  const { name, chainId, native, explorerUrl } = chain;
  const caip2 = `eip155:${chainId}`;
  return { slug, name, caip2, family: 'evm', chainId, native, explorerUrl };
}

function builtIn(
  slug: BuiltInSlug,
  chain: { name: string; chainId: number; symbol: string; explorerUrl: string | null },
): ChainInfo {
  return describeEvmChain(slug, { ...chain, native: { symbol: chain.symbol, decimals: 18 } });
}

/** How token lists number chains without an EIP-155 id: Solana's registry, and Uniswap's lists. */
export const LIST_CHAIN_IDS: Readonly<Record<number, BuiltInSlug>> = {
  101: 'solana',
  501000101: 'solana',
};

/** The genesis hash of every embedded Solana chain, as 1337 is the id of every EVM devnet. */
export const EMBEDDED_GENESIS = '63TdZVeMz1XFYnQ7uoxbhca4dRJzkkuLyKRfcckmokQk';
/** CAIP-2 has the first part of it. */
const GENESIS_REFERENCE_LENGTH = 32;

export const BUILT_IN_CHAINS: Readonly<Record<BuiltInSlug, ChainInfo>> = {
  ethereum: builtIn('ethereum', {
    ...{ name: 'Ethereum', chainId: 1, symbol: 'ETH' },
    explorerUrl: 'https://etherscan.io',
  }),
  base: builtIn('base', {
    ...{ name: 'Base', chainId: 8453, symbol: 'ETH' },
    explorerUrl: 'https://basescan.org',
  }),
  arbitrum: builtIn('arbitrum', {
    ...{ name: 'Arbitrum One', chainId: 42161, symbol: 'ETH' },
    explorerUrl: 'https://arbiscan.io',
  }),
  optimism: builtIn('optimism', {
    ...{ name: 'OP Mainnet', chainId: 10, symbol: 'ETH' },
    explorerUrl: 'https://optimistic.etherscan.io',
  }),
  polygon: builtIn('polygon', {
    ...{ name: 'Polygon PoS', chainId: 137, symbol: 'POL' },
    explorerUrl: 'https://polygonscan.com',
  }),
  bsc: builtIn('bsc', {
    ...{ name: 'BNB Smart Chain', chainId: 56, symbol: 'BNB' },
    explorerUrl: 'https://bscscan.com',
  }),
  unichain: builtIn('unichain', {
    ...{ name: 'Unichain', chainId: 130, symbol: 'ETH' },
    explorerUrl: 'https://uniscan.xyz',
  }),
  robinhood: builtIn('robinhood', {
    ...{ name: 'Robinhood Chain', chainId: 4663, symbol: 'ETH' },
    explorerUrl: 'https://robinhoodchain.blockscout.com',
  }),
  avalanche: builtIn('avalanche', {
    ...{ name: 'Avalanche C-Chain', chainId: 43114, symbol: 'AVAX' },
    explorerUrl: 'https://snowtrace.io',
  }),
  linea: builtIn('linea', {
    ...{ name: 'Linea', chainId: 59144, symbol: 'ETH' },
    explorerUrl: 'https://lineascan.build',
  }),
  monad: builtIn('monad', {
    ...{ name: 'Monad', chainId: 143, symbol: 'MON' },
    explorerUrl: 'https://monadscan.com',
  }),
  ink: builtIn('ink', {
    ...{ name: 'Ink', chainId: 57073, symbol: 'ETH' },
    explorerUrl: 'https://explorer.inkonchain.com',
  }),
  soneium: builtIn('soneium', {
    ...{ name: 'Soneium', chainId: 1868, symbol: 'ETH' },
    explorerUrl: 'https://soneium.blockscout.com',
  }),
  worldchain: builtIn('worldchain', {
    ...{ name: 'World Chain', chainId: 480, symbol: 'ETH' },
    explorerUrl: 'https://worldscan.org',
  }),
  zora: builtIn('zora', {
    ...{ name: 'Zora', chainId: 7777777, symbol: 'ETH' },
    explorerUrl: 'https://explorer.zora.energy',
  }),
  solana: {
    slug: 'solana',
    name: 'Solana',
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    family: 'solana',
    chainId: null,
    native: { symbol: 'SOL', decimals: 9 },
    explorerUrl: 'https://explorer.solana.com',
  },
  // Not 31337: Permit2's published bytecode has a wrong domain separator for that id.
  devnet: builtIn('devnet', {
    ...{ name: 'Local devnet', chainId: 1337, symbol: 'ETH' },
    explorerUrl: null,
  }),
  'devnet-solana': {
    slug: 'devnet-solana',
    name: 'Local Solana devnet',
    caip2: `solana:${EMBEDDED_GENESIS.slice(0, GENESIS_REFERENCE_LENGTH)}`,
    family: 'solana',
    chainId: null,
    native: { symbol: 'SOL', decimals: 9 },
    explorerUrl: null,
  },
};
