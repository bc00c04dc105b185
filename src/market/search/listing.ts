// A token in the search index: its texts and its liquidity.

import type { Address } from '../../model/ids.ts';

export interface Listing {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  /** In 1e-18 USD; null if unknown. */
  readonly liquidityUsdE18: bigint | null;
}

/** Below every known liquidity. */
const UNKNOWN_LIQUIDITY = -1;

/** Only used for ordering, so a double is precise enough. */
export function toLiquidityWeight(liquidityUsdE18: bigint | null): number {
  return liquidityUsdE18 === null ? UNKNOWN_LIQUIDITY : Number(liquidityUsdE18);
}

/** A matching token, with its sort keys. */
export interface Found {
  readonly token: Address;
  readonly rank: number;
  readonly weight: number;
}

/** Best rank first, then most liquid, then by address. */
export function compareFound(a: Found, b: Found): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.weight !== b.weight) return b.weight - a.weight;
  return a.token < b.token ? -1 : a.token > b.token ? 1 : 0;
}
