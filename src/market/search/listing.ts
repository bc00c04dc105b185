// What search knows of a token, and the order in which it shows matches.
//
// Anybody can give a contract the symbol of a known token, so a better match alone is no reason to
// come first. Established tokens (verified by a list, or liquid) come before all others that match
// without typing errors, and the same again among matches with typing errors.

import type { Address } from '../../model/ids.ts';
import { RANKS } from './match-text.ts';

export interface Listing {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  /** Whether a token list vouches for it. */
  readonly isVerified: boolean;
  /** In 1e-18 USD; null if unknown. */
  readonly liquidityUsdE18: bigint | null;
}

/** Below every known liquidity. */
const UNKNOWN_LIQUIDITY = -1;

/** Only used for ordering, so a double is precise enough. */
export function toLiquidityWeight(liquidityUsdE18: bigint | null): number {
  return liquidityUsdE18 === null ? UNKNOWN_LIQUIDITY : Number(liquidityUsdE18);
}

/** 100,000 USD as a weight: expensive to lock up for those who copy a symbol. */
const LIQUID_WEIGHT = 100_000 * 1e18;

export function isLiquid(weight: number): boolean {
  return weight >= LIQUID_WEIGHT;
}

/** A token that was found, with what orders it among the others. */
export interface Found {
  readonly token: Address;
  readonly rank: number;
  readonly isVerified: boolean;
  readonly weight: number;
}

function toGroup({ rank, isVerified, weight }: Found): number {
  const isEstablished = isVerified || isLiquid(weight);
  return (rank < RANKS.oneEdit ? 0 : 2) + (isEstablished ? 0 : 1);
}

/** By group, then the best rank, then verified ones, then the most liquid, then by address. */
export function compareFound(a: Found, b: Found): number {
  const groups = toGroup(a) - toGroup(b);
  if (groups !== 0) return groups;
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.isVerified !== b.isVerified) return a.isVerified ? -1 : 1;
  if (a.weight !== b.weight) return b.weight - a.weight;
  return a.token < b.token ? -1 : a.token > b.token ? 1 : 0;
}
