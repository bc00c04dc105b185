// What a simulated round trip through a pool showed of its two tokens.

import type { Address, PoolId } from './ids.ts';

/** One token of a pool. Null is what the round trip could not show. */
export interface SideSafety {
  /** What is lost when the pool pays it out, in basis points; 0.01 stands for less than one. */
  readonly outBps: number | null;
  /** What is lost when it is paid in. */
  readonly inBps: number | null;
  /** Whether a swap that pays it in goes through. */
  readonly sellable: boolean | null;
  /** What its contract used of gas to be paid in; told only where that is unusually much. */
  readonly sellGas?: number;
}

export interface PoolSafety {
  readonly pool: PoolId;
  readonly token0: Address;
  readonly token1: Address;
  readonly side0: SideSafety;
  readonly side1: SideSafety;
  /** What a hook was seen to take of swaps, in pips; null where none has a say. */
  readonly hookFees: { readonly zeroForOne: number; readonly oneForZero: number } | null;
  readonly checkedAtMs: number;
}
