// What a token's contract says of itself, read at discovery and cleaned for display.

import type { Address } from './ids.ts';

export interface TokenMetadata {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
}
