// A token that was looked up because a client asked for it, with the pools that were found.

import type { Address } from './ids.ts';
import type { PoolDescription } from './pool.ts';

export interface Discovery {
  readonly token: Address;
  /** Those that were new to the index. */
  readonly pools: readonly PoolDescription[];
}

/** Stored, so that a rebuilt index has the same tokens and pools from the same block on. */
export interface DiscoveryRecord extends Discovery {
  readonly block: number;
  /** Of the commit; several discoveries may share it. */
  readonly version: number;
}
