// Who owns the shares of a pool's liquidity: how much of them nobody can take out, or not yet.

import type { Address } from './ids.ts';

/** A contract or account that holds shares until a time. */
export interface LiquidityLocker {
  readonly name: string;
  readonly address: Address;
}

/** Of one pool, as of a block. Shares are raw units of the pool's own token. */
export interface LiquidityOwners {
  readonly sharesRaw: bigint;
  /** At addresses that nobody has the key of, or destroyed. */
  readonly burnedRaw: bigint;
  /** At known lockers, as far as it cannot be taken out yet. */
  readonly lockedRaw: bigint;
  readonly lockers: readonly LiquidityLocker[];
  /** When the first part of it can be taken out; null if that is not known, or never. */
  readonly untilMs: number | null;
  /** On Solana the slot. */
  readonly block: number;
}
