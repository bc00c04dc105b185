// What a token's contract shows of itself.

import type { Address } from './ids.ts';

export interface ContractFacts {
  /** The zero address if it was given up; null if the contract names no owner. */
  readonly owner: Address | null;
  /** Whether a known function that mints is in its code; null if the code is elsewhere. */
  readonly isMintable: boolean | null;
  /** Whether calls go on to code that may be replaced or is elsewhere. */
  readonly isProxy: boolean;
}
