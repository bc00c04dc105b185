// Which tokens of a chain are indexed.

import type { Address, PoolId } from './ids.ts';

/**
 * `all`: every token. `liquid`: tokens from the moment on that one of their pools is worth enough.
 * `watch`: the tokens that the operator names.
 */
export const SCOPE_NAMES = ['all', 'liquid', 'watch'] as const;

export type ScopeName = (typeof SCOPE_NAMES)[number];

/** A time during which a token was in scope. Not used by `all`. */
export interface ScopeEntry {
  readonly token: Address;
  /** The first block with all of its events. */
  readonly fromBlock: number;
  /** The time of the block before. */
  readonly fromMs: number;
  /** The last block with its events; null while it is in scope. */
  readonly leftBlock: number | null;
  /** The pool that brought it in, if one did. */
  readonly pool: PoolId | null;
}
