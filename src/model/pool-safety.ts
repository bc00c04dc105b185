// The result of a simulated round trip through a pool, for its two tokens.

import type { Address, PoolId } from './ids.ts';

/** One token of a pool. Null means that the round trip could not measure it. */
export interface SideSafety {
  /** What is lost when the pool pays it out, in basis points; 0.01 means less than one. */
  readonly outBps: number | null;
  /** What is lost when it is paid in. */
  readonly inBps: number | null;
  /** Whether a swap that pays it in succeeds. */
  readonly sellable: boolean | null;
  /**
   * The cost units that its contract used when it was paid in; set only if they are unusually many.
   */
  readonly sellUnits?: number;
}

/** Older measurements no longer count as a promise. */
export const SAFETY_LIFE_MS = 30 * 60_000;

export interface PoolSafety {
  readonly pool: PoolId;
  readonly token0: Address;
  readonly token1: Address;
  readonly side0: SideSafety;
  readonly side1: SideSafety;
  /** What a hook takes of swaps, in pips, as measured; null if there is no such hook. */
  readonly hookFees: { readonly zeroForOne: number; readonly oneForZero: number } | null;
  readonly checkedAtMs: number;
}
