// What recorded swaps were worth, in dollars, by the recordings alone: a stable coin counts as a
// dollar, the wrapped coin as the median of what swaps between both paid. A swap in which neither
// moved has no value, and counts by number only.

import { createRequire } from 'node:module';

/** In the smallest unit. */
export interface MovedAmount {
  readonly token: string;
  readonly amount: bigint;
}

export interface PricedAssets {
  readonly wrapped: string;
  readonly wrappedDecimals: number;
  readonly stables: readonly string[];
  /** Of a stable coin. */
  decimalsOf(token: string): number;
}

interface ListedToken {
  readonly chainId: number;
  readonly address: string;
  readonly decimals: number;
}
type OwnToken = readonly [address: string, symbol: string, name: string, decimals: number];

/** By the lists that come with the service; stable coins of none count with 6, as most have. */
export function createDecimals(chainId: number): (token: string) => number {
  const require = createRequire(import.meta.url);
  const { default: list } = require('@eth-optimism/tokenlist') as {
    default: { tokens: ListedToken[] };
  };
  const { chains } = require('../../src/market/lists/well-known-tokens.json') as {
    chains: Record<string, OwnToken[]>;
  };
  const known = new Map([
    ...list.tokens
      .filter((token) => token.chainId === chainId)
      .map(({ address, decimals }) => [address.toLowerCase(), decimals] as const),
    ...(chains[chainId] ?? []).map(
      ([address, , , decimals]) => [address.toLowerCase(), decimals] as const,
    ),
  ]);
  return (token) => known.get(token) ?? 6;
}

function toUnits({ amount }: MovedAmount, decimals: number): number {
  return Number(amount) / 10 ** decimals;
}

function findLargest(moved: readonly MovedAmount[], assets: PricedAssets) {
  const stable = moved
    .filter(({ token }) => assets.stables.includes(token))
    .map((one) => toUnits(one, assets.decimalsOf(one.token)));
  const coin = moved
    .filter(({ token }) => token === assets.wrapped)
    .map((one) => toUnits(one, assets.wrappedDecimals));
  return { dollars: Math.max(0, ...stable), coins: Math.max(0, ...coin) };
}

/** Null if no swap exchanged the coin for a stable one. */
function findCoinPrice(swaps: readonly (readonly MovedAmount[])[], assets: PricedAssets) {
  const prices = swaps
    .map((moved) => findLargest(moved, assets))
    .filter(({ dollars, coins }) => dollars > 0 && coins > 0)
    .map(({ dollars, coins }) => dollars / coins)
    .sort((a, b) => a - b);
  return prices[Math.floor(prices.length / 2)] ?? null;
}

/** Of each swap, in the same order; null where nothing tells it. */
export function valueSwaps(
  swaps: readonly (readonly MovedAmount[])[],
  assets: PricedAssets,
): (number | null)[] {
  const coinPrice = findCoinPrice(swaps, assets);
  return swaps.map((moved) => {
    const { dollars, coins } = findLargest(moved, assets);
    if (dollars > 0) return dollars;
    return coinPrice === null || coins === 0 ? null : coins * coinPrice;
  });
}
