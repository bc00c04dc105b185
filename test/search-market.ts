// A market of real tokens for search, on every built-in chain: those of the bundled token lists,
// 13,000 real ones that nobody vouches for, copies and memes of the vouched ones, and a model of
// their liquidity, volume and age.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { findFamily } from '../src/engines/chain-families.ts';
import { readBundledLists } from '../src/market/lists/read-bundled-list.ts';
import { buildTokenDirectory } from '../src/market/lists/token-lists.ts';
import type { Listing } from '../src/market/search/listing.ts';
import { computeProminence } from '../src/market/search/prominence.ts';
import { BUILT_IN_CHAINS, type ChainSlug, LIST_CHAIN_IDS } from '../src/model/chain.ts';
import { address } from './test-ids.ts';

interface ListedToken {
  readonly chainId: number;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly extensions?: { readonly coingeckoId?: string };
}

export interface ModelToken {
  readonly chain: ChainSlug;
  readonly token: string;
  readonly symbol: string;
  readonly name: string;
  readonly isVerified: boolean;
  readonly liquidityUsd: number | null;
  readonly volumeUsd: number;
  readonly ageDays: number;
}

const MILLION = 1_000_000;

/** In millions of USD, about as in reality; the other verified tokens have less. */
const DEEP: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ethereum: {
    ...{ WETH: 900, USDC: 600, USDT: 400, WBTC: 250, DAI: 60, USDS: 20, cbBTC: 90, tBTC: 10 },
    ...{ stETH: 40, wstETH: 250, weETH: 60, rETH: 25, cbETH: 8, USDe: 60, sUSDe: 80, GHO: 10 },
    ...{ LINK: 25, UNI: 30, AAVE: 20, PEPE: 25, SHIB: 15, MKR: 10, LDO: 6, CRV: 8, ENA: 5 },
    ...{ ONDO: 6, Mog: 8, SPX: 12, BITCOIN: 6, FLOKI: 8, PEPECOIN: 2, ENS: 3, GRT: 2, APE: 2 },
    ...{ ARB: 2, MATIC: 1.5, POL: 2, FET: 4, RNDR: 2, IMX: 1.5, SAND: 1, MANA: 1.2, COMP: 2 },
    ...{ SNX: 1.5, YFI: 2, SUSHI: 1.5, BAL: 2, '1INCH': 1, CVX: 3, FXS: 2, FRAX: 5, LUSD: 3 },
    ...{ PAXG: 10, XAUt: 8, PYUSD: 8, RLUSD: 5, EIGEN: 2, ETHFI: 3, PENDLE: 4, MNT: 5, TURBO: 2 },
    ...{ Neiro: 3, VIRTUAL: 4, ELON: 0.5, WLFI: 5, USD1: 6, ZRX: 0.6, SOL: 1, AXS: 0.7, DOG: 1.5 },
  },
  base: {
    ...{ WETH: 400, USDC: 350, cbBTC: 120, AERO: 60, VIRTUAL: 25, weETH: 10, wstETH: 12 },
    ...{ cbETH: 15, EURC: 10, BRETT: 8, tBTC: 6, LBTC: 5, DEGEN: 4, TOSHI: 4, ZORA: 4, USDbC: 3 },
    ...{ cbDOGE: 1, cbXRP: 3, cbADA: 1, cbLTC: 1 },
  },
  arbitrum: {
    ...{ WETH: 200, USDC: 120, 'USD₮0': 60, WBTC: 60, ARB: 25, wstETH: 15, weETH: 12, GMX: 8 },
    ...{ 'USDC.e': 8, DAI: 5, LINK: 4, PENDLE: 4, rETH: 3 },
  },
  optimism: {
    WETH: 60,
    USDC: 35,
    OP: 15,
    VELO: 15,
    wstETH: 12,
    USDT: 10,
    WBTC: 8,
    WLD: 3,
    SOL: 0.1,
  },
  polygon: { USDC: 30, WETH: 30, WPOL: 25, 'USDC.e': 20, USDT0: 20, WBTC: 10, AAVE: 2, LINK: 2 },
  bsc: {
    ...{ WBNB: 500, USDT: 400, BTCB: 90, ETH: 60, USDC: 60, Cake: 50, USD1: 40, FDUSD: 20 },
    ...{ XRP: 5, DOGE: 4, ADA: 3, SOL: 3, DOT: 2, LTC: 2, TRX: 2, BCH: 1.5, ATOM: 1, FIL: 1 },
    ...{ FLOKI: 6, XVS: 3, TWT: 4, ASTER: 20, LINK: 2, PEPE: 1 },
  },
  solana: {
    ...{ SOL: 1200, USDC: 700, TRUMP: 180, USDT: 120, JitoSOL: 60, cbBTC: 40, JLP: 40, mSOL: 25 },
    ...{ RAY: 25, JUP: 20, PUMP: 20, PYUSD: 20, BONK: 15, FARTCOIN: 15, WETH: 15, PENGU: 12 },
    ...{ $WIF: 12, WBTC: 10, JTO: 8, PYTH: 6, POPCAT: 6, bSOL: 6, MOODENG: 5, PNUT: 5, ORCA: 5 },
    ...{ MEW: 4, BOME: 4, GOAT: 4, RENDER: 4, HNT: 4, GIGA: 4, SPX: 4, W: 2 },
  },
};

/** What contracts say of themselves where lists say otherwise. */
const CONTRACT_TEXTS: Readonly<Record<string, readonly [symbol: string, name: string]>> = {
  'ethereum LINK': ['LINK', 'ChainLink Token'],
  'ethereum USDC': ['USDC', 'USD Coin'],
  'arbitrum USDC.e': ['USDC', 'USD Coin (Arb1)'],
  'polygon USDC.e': ['USDC', 'USD Coin (PoS)'],
  'optimism USDC.e': ['USDC', 'USD Coin'],
};

/** Names that people trade because they sound like something else. */
const MEMES: readonly (readonly [chain: ChainSlug, symbol: string, name: string, usd: number])[] = [
  ['ethereum', 'TETHER', 'Tether', 350_000],
  ['ethereum', 'TETHER', 'Tether Inu', 210_000],
  ['ethereum', 'USDT', 'Tether USD', 260_000],
  ['ethereum', 'BTC', 'Bitcoin', 450_000],
  ['ethereum', 'BTC', 'Bitcoin on Ethereum', 200_000],
  ['ethereum', 'BTC', 'Blue Turtle Coin', 180_000],
  ['ethereum', 'ETHER', 'Ether', 300_000],
  ['ethereum', 'ETH', 'Ethereum', 250_000],
  ['ethereum', 'WBTC', 'Wrapped Bitcoin', 150_000],
  ['ethereum', 'WBTC', 'Wrapped BTC', 90_000],
  ['ethereum', 'FLOKI', 'Floki Inu', 200_000],
  ['ethereum', 'FLOKI2', 'Floki Inu 2.0', 120_000],
  ['ethereum', 'SHIB', 'Shiba Inu', 190_000],
  ['ethereum', 'PEPE', 'Pepe', 400_000],
  ['ethereum', 'USDC', 'USD Coin', 300_000],
  ['ethereum', 'UNI', 'Uniswap Token', 110_000],
  ['ethereum', 'WIF', 'dogwifhat', 400_000],
  ['base', 'WIF', 'Wif Hat', 300_000],
  ['base', 'DOGE', 'Department of Government Efficiency', 900_000],
  ['ethereum', 'DOGE', 'Dogecoin', 300_000],
  ['solana', 'DOGE', 'doge', 250_000],
  ['solana', 'BTC', 'Биткоин', 60_000],
  ['solana', '柴犬', '柴犬', 80_000],
  ['bsc', '比特币', '比特币', 50_000],
  ['bsc', '币安人生', '币安人生', 3_000_000],
  ['base', 'STETH', 'stETH', 150_000],
  ['solana', 'WIF', 'dogwifhat', 200_000],
  ['solana', 'WIF', 'Wif on Solana', 90_000],
];

function readList(file: string): readonly ListedToken[] {
  const path = createRequire(import.meta.url).resolve(file);
  return (JSON.parse(readFileSync(path, 'utf8')) as { tokens: ListedToken[] }).tokens;
}

/** A fixed number between 0 and 1 for a text. */
function draw(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

function drawBetween(text: string, min: number, max: number): number {
  return min * (max / min) ** draw(text);
}

interface VouchedToken {
  readonly chain: ChainSlug;
  readonly token: string;
  readonly symbol: string;
  readonly name: string;
}

function buildVerified({ chain, token, ...listed }: VouchedToken): ModelToken {
  const deep = DEEP[chain]?.[listed.symbol];
  const [symbol, name] = CONTRACT_TEXTS[`${chain} ${listed.symbol}`] ?? [
    listed.symbol,
    listed.name,
  ];
  const liquidityUsd =
    deep === undefined ? drawBetween(`${token} depth`, 20_000, 800_000) : deep * MILLION;
  return {
    ...{ chain, token, symbol, name, isVerified: true, liquidityUsd },
    volumeUsd: liquidityUsd * drawBetween(`${token} volume`, 0.1, 1.5),
    ageDays: drawBetween(`${token} age`, 300, 1500),
  };
}

/** What strangers deploy when a token is known; they trade with themselves. */
function buildImpostors({ chain, token, symbol, name }: ModelToken): ModelToken[] {
  const [word = name] = name.split(' ');
  const texts = [
    [symbol, name],
    [word.toUpperCase(), word],
    [symbol, `${symbol} 2.0`],
    [`${symbol}INU`, `Baby ${name}`],
  ] as const;
  return texts.map(([copySymbol, copyName], index) => {
    const seed = `${token} ${index}`;
    const liquidityUsd = drawBetween(`${seed} depth`, 500, 150_000);
    return {
      ...{ chain, token: `0x${createHash('sha256').update(seed).digest('hex').slice(0, 40)}` },
      ...{ symbol: copySymbol, name: copyName, isVerified: false, liquidityUsd },
      volumeUsd: liquidityUsd * drawBetween(`${seed} volume`, 0.1, 30),
      ageDays: drawBetween(`${seed} age`, 0.1, 60),
    };
  });
}

function buildUnknown(listed: ListedToken): ModelToken {
  const { address: token, symbol, name, extensions } = listed;
  const isTraded = extensions?.coingeckoId !== undefined;
  const quiet = draw(`${token} quiet`) < 0.7 ? null : draw(`${token} depth`) * 3000;
  const liquidityUsd = isTraded ? drawBetween(`${token} depth`, 1000, 150_000) : quiet;
  return {
    ...{ chain: 'solana', token, symbol, name, isVerified: false, liquidityUsd },
    volumeUsd: (liquidityUsd ?? 0) * draw(`${token} volume`),
    ageDays: drawBetween(`${token} age`, 1, 900),
  };
}

function buildMeme([chain, symbol, name, liquidityUsd]: (typeof MEMES)[number]): ModelToken {
  const seed = `${chain} ${symbol} ${name}`;
  return {
    token: `0x${createHash('sha256').update(seed).digest('hex').slice(0, 40)}`,
    ...{ chain, symbol, name, isVerified: false, liquidityUsd },
    volumeUsd: liquidityUsd * 3,
    ageDays: 40,
  };
}

const SOLANA_LIST_ID = 101;

function readVouched(): readonly VouchedToken[] {
  const sources = readBundledLists((chainId) => {
    const known = Object.values(BUILT_IN_CHAINS).find((chain) => chain.chainId === chainId);
    const slug = known?.slug ?? LIST_CHAIN_IDS[chainId];
    return slug === undefined ? null : { slug, addresses: findFamily(slug).addresses };
  });
  const directory = buildTokenDirectory(sources.flatMap(({ list }) => list ?? []));
  return Array.from(directory).flatMap(([chain, entries]) =>
    Array.from(entries, ([token, { symbol, name }]) => ({
      ...{ chain, token, symbol: symbol ?? '', name: name ?? '' },
    })),
  );
}

/** Some 19,000 tokens of all built-in chains. */
export function buildSearchMarket(): readonly ModelToken[] {
  const verified = readVouched().map(buildVerified);
  const vouched = new Set(verified.map(({ token }) => token));
  const registry = '@solana/spl-token-registry/dist/main/tokens/solana.tokenlist.json';
  const unknown = readList(registry)
    .filter((listed) => listed.chainId === SOLANA_LIST_ID && !vouched.has(listed.address))
    .map(buildUnknown);
  return [...verified, ...verified.flatMap(buildImpostors), ...MEMES.map(buildMeme), ...unknown];
}

/** `isListed: false` as where no token list is used. */
export function buildModelListing(token: ModelToken, isListed = true): Listing {
  const isVerified = isListed && token.isVerified;
  return {
    token: address(token.token),
    symbol: token.symbol,
    name: token.name,
    isVerified,
    prominence: computeProminence({
      ...{ isVerified, liquidityUsd: token.liquidityUsd, volumeUsd: token.volumeUsd },
      ageMs: token.ageDays * 86_400_000,
    }),
  };
}
