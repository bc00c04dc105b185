// A pool older than the index, once its whole state was read from its contract.

import type { PoolId } from './ids.ts';
import type { TickRecord } from './market-record.ts';
import type { PoolKindName, StateOf } from './pool.ts';

/**
 * Who needs a pool's state: nobody yet, somebody who looks at a page with it, or somebody who waits
 * for a quote or a lookup.
 */
export type PoolDemand = 'none' | 'shown' | 'awaited';

/** A pool's whole state at the end of a block. */
export interface AdoptedPool {
  readonly pool: PoolId;
  readonly kind: PoolKindName;
  readonly feePips: number;
  readonly state: StateOf<PoolKindName>;
  /** Those that hold anything. */
  readonly ticks: readonly Omit<TickRecord, 'pool'>[];
}

/** Stored, so that a rebuilt index adopts the same state at the same block. */
export interface AdoptionRecord extends AdoptedPool {
  readonly block: number;
  /** Of the commit; several adoptions may share it. */
  readonly version: number;
}
