// What search knows of a token: its texts and how liquid it is.

import type { Address } from '../../model/ids.ts';

export interface Listing {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  /** In 1e-18 USD; null where unknown. */
  readonly liquidityUsdE18: bigint | null;
}

/** Below every liquidity that is known. */
const UNKNOWN_LIQUIDITY = -1;

/** Decides order only, so a double is precise enough. */
export function toLiquidityWeight(liquidityUsdE18: bigint | null): number {
  return liquidityUsdE18 === null ? UNKNOWN_LIQUIDITY : Number(liquidityUsdE18);
}

/** A token that was found, with what orders it among the others. */
export interface Found {
  readonly token: Address;
  readonly rank: number;
  readonly weight: number;
}

/** The best rank first, then the most liquid, then by address. */
export function compareFound(a: Found, b: Found): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.weight !== b.weight) return b.weight - a.weight;
  return a.token < b.token ? -1 : a.token > b.token ? 1 : 0;
}
