// A market of real tokens for search: the Uniswap list (verified), Solana's registry (13,000 real
// tokens that nobody vouches for here), copies and memes of the verified ones, and a model of their
// liquidity, volume and age.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Listing } from '../src/market/search/listing.ts';
import { computeProminence } from '../src/market/search/prominence.ts';
import { address } from './test-ids.ts';

interface ListedToken {
  readonly chainId: number;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly extensions?: { readonly coingeckoId?: string };
}

export interface ModelToken {
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
const DEEP: Readonly<Record<string, number>> = {
  ...{ WETH: 900, USDC: 600, USDT: 400, WBTC: 250, DAI: 60, USDS: 20, cbBTC: 40, tBTC: 10 },
  ...{ cbETH: 8, KBTC: 0.3, LINK: 25, UNI: 30, AAVE: 20, PEPE: 25, SHIB: 15, MKR: 10, LDO: 6 },
  ...{ CRV: 8, ENA: 5, ONDO: 6, MOG: 8, SPX: 12, BITCOIN: 6, FLOKI: 8, PEPECOIN: 2, ENS: 3 },
  ...{ GRT: 2, APE: 2, ARB: 2, MATIC: 1.5, POL: 2, FET: 4, RNDR: 2, IMX: 1.5, SAND: 1, MANA: 1.2 },
  ...{ COMP: 2, SNX: 1.5, YFI: 2, SUSHI: 1.5, BAL: 2, '1INCH': 1, CVX: 3, FXS: 2, FRAX: 5 },
  ...{ LUSD: 3, PAXG: 10, XAUT: 8, PYUSD: 8, RLUSD: 5, EIGEN: 2, ETHFI: 3, PENDLE: 4, MNT: 5 },
  ...{ TURBO: 2, Neiro: 3, VIRTUAL: 4, ELON: 0.5, WLFI: 5, USD1: 6, ZRX: 0.6, SOL: 1, AXS: 0.7 },
};

/** Names that people trade because they sound like something else. */
const MEMES: readonly (readonly [symbol: string, name: string, liquidityUsd: number])[] = [
  ['TETHER', 'Tether', 350_000],
  ['TETHER', 'Tether Inu', 210_000],
  ['USDT', 'Tether USD', 260_000],
  ['BTC', 'Bitcoin', 450_000],
  ['BTC', 'Bitcoin on Ethereum', 200_000],
  ['BTC', 'Blue Turtle Coin', 180_000],
  ['ETHER', 'Ether', 300_000],
  ['ETH', 'Ethereum', 250_000],
  ['WBTC', 'Wrapped Bitcoin', 150_000],
  ['WBTC', 'Wrapped BTC', 90_000],
  ['FLOKI', 'Floki Inu', 200_000],
  ['FLOKI2', 'Floki Inu 2.0', 120_000],
  ['SHIB', 'Shiba Inu', 190_000],
  ['PEPE', 'Pepe', 400_000],
  ['USDC', 'USD Coin', 300_000],
  ['UNI', 'Uniswap Token', 110_000],
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

function buildVerified({ symbol, name, address: token }: ListedToken): ModelToken {
  const deep = DEEP[symbol];
  const liquidityUsd =
    deep === undefined ? drawBetween(`${token} depth`, 20_000, 800_000) : deep * MILLION;
  return {
    ...{ token: token.toLowerCase(), symbol, name, isVerified: true, liquidityUsd },
    volumeUsd: liquidityUsd * drawBetween(`${token} volume`, 0.1, 1.5),
    ageDays: drawBetween(`${token} age`, 300, 1500),
  };
}

/** What strangers deploy when a token is known; they trade with themselves. */
function buildImpostors({ token, symbol, name }: ModelToken): ModelToken[] {
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
      token: `0x${createHash('sha256').update(seed).digest('hex').slice(0, 40)}`,
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
    ...{ token, symbol, name, isVerified: false, liquidityUsd },
    volumeUsd: (liquidityUsd ?? 0) * draw(`${token} volume`),
    ageDays: drawBetween(`${token} age`, 1, 900),
  };
}

function buildMeme([symbol, name, liquidityUsd]: (typeof MEMES)[number]): ModelToken {
  return {
    token: `0x${createHash('sha256').update(`${symbol} ${name}`).digest('hex').slice(0, 40)}`,
    ...{ symbol, name, isVerified: false, liquidityUsd },
    volumeUsd: liquidityUsd * 3,
    ageDays: 40,
  };
}

const ETHEREUM = 1;
const SOLANA = 101;

/** Some 15,000 tokens; `isListed: false` as where the operator names no token list. */
export function buildSearchMarket(): readonly ModelToken[] {
  const verified = readList('@uniswap/default-token-list')
    .filter(({ chainId }) => chainId === ETHEREUM)
    .map(buildVerified);
  const registry = '@solana/spl-token-registry/dist/main/tokens/solana.tokenlist.json';
  const unknown = readList(registry)
    .filter(({ chainId }) => chainId === SOLANA)
    .map(buildUnknown);
  return [...verified, ...verified.flatMap(buildImpostors), ...MEMES.map(buildMeme), ...unknown];
}

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
