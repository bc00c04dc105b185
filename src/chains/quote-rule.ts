// Which token of a pool a swap is a trade of, and what it is priced in.

import type { Address } from '../model/ids.ts';
import type { PoolDescription } from '../model/pool.ts';
import type { ChainAssets } from './adapter.ts';

/** Stable assets price the native coin, the native coin prices everything else. */
export type AssetRank = 0 | 1 | 2;

export const RANK_TOKEN: AssetRank = 0;
export const RANK_NATIVE: AssetRank = 1;
export const RANK_STABLE: AssetRank = 2;

/** One view of a pool: `base` is the traded token, `quote` what it is priced in. */
export interface MarketView {
  readonly base: Address;
  readonly quote: Address;
  readonly baseIsToken0: boolean;
  readonly baseRank: AssetRank;
  readonly quoteRank: AssetRank;
}

/** The assets that price others. */
export type PricingAssets = Pick<ChainAssets, 'native' | 'stable'>;

export function findRank(assets: PricingAssets, token: Address): AssetRank {
  if (assets.stable.has(token)) return RANK_STABLE;
  return assets.native.has(token) ? RANK_NATIVE : RANK_TOKEN;
}

/**
 * The views of a pool that have trades: the lower-ranked token's, or both tokens' at equal rank,
 * token 0 first.
 */
export function listMarketViews(
  assets: PricingAssets,
  pool: Pick<PoolDescription, 'token0' | 'token1'>,
): readonly MarketView[] {
  const rank0 = findRank(assets, pool.token0);
  const rank1 = findRank(assets, pool.token1);
  const views: MarketView[] = [];
  if (rank0 <= rank1) {
    views.push({
      base: pool.token0,
      quote: pool.token1,
      baseIsToken0: true,
      baseRank: rank0,
      quoteRank: rank1,
    });
  }
  if (rank1 <= rank0) {
    views.push({
      base: pool.token1,
      quote: pool.token0,
      baseIsToken0: false,
      baseRank: rank1,
      quoteRank: rank0,
    });
  }
  return views;
}

/** The assets that price others, for finding the pools between them. */
export function listRankedAssets(assets: ChainAssets): Address[] {
  return [...new Set([...assets.native, ...assets.stable])];
}

/**
 * The currency in which a pool's trades are priced exactly as in its quote token: USD for a stable
 * one, which counts as a dollar. Null between two tokens of equal rank.
 */
export function findQuoteCurrency({ baseRank, quoteRank }: MarketView): 'usd' | 'native' | null {
  if (baseRank === quoteRank) return null;
  return quoteRank === RANK_STABLE ? 'usd' : 'native';
}
