// What search knows of a token, and the order in which it shows matches: by score, which is the
// points of the match and those of the token.

import type { Address } from '../../model/ids.ts';
import type { MatchKind } from './match-text.ts';

export interface Listing {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  /** Whether a token list vouches for it. */
  readonly isVerified: boolean;
  /** From `computeProminence`. */
  readonly prominence: number;
}

/** A token that was found, with what orders it among the others. */
export interface Found {
  readonly token: Address;
  readonly kind: MatchKind;
  readonly score: number;
  readonly prominence: number;
}

/** The highest score first, then the most prominent, then by address. */
export function compareFound(a: Found, b: Found): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.prominence !== b.prominence) return b.prominence - a.prominence;
  return a.token < b.token ? -1 : a.token > b.token ? 1 : 0;
}
