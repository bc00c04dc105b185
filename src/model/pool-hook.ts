// The contract that a pool calls around its swaps, and what it can do to them.

import type { Address } from './ids.ts';

/**
 * What the hook can do, from the calls that it gets. `liquidity`: it is never called at swaps.
 * `fee`: neither, but it sets the fee whenever it likes. `after`: it is called after swaps, and can
 * trade then or refuse. `before`: it can change the pool first, set the fee, or refuse. `delta`: it
 * can take a part of what is paid or received, or replace the swap.
 */
export const HOOK_CLASSES = ['liquidity', 'fee', 'after', 'before', 'delta'] as const;

export type HookClass = (typeof HOOK_CLASSES)[number];

export interface PoolHook {
  readonly address: Address;
  readonly class: HookClass;
  /** The calls that it gets, by the names of the protocol. */
  readonly flags: readonly string[];
  /** Whether it sets the fee, at any time and without a log. */
  readonly setsFee: boolean;
}

/** Whether it may do anything at a swap: nothing is built then without a simulation. */
export function isCalledAtSwaps(hook: PoolHook | null | undefined): boolean {
  return hook?.class === 'after' || decidesSwaps(hook);
}

/** Whether what a swap pays is known only to the hook, so that it must be called for it. */
export function decidesSwaps(hook: PoolHook | null | undefined): boolean {
  return hook?.class === 'before' || hook?.class === 'delta';
}
