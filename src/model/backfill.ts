// A job that fills in a token's history from before the first indexed block.

import type { Address } from './ids.ts';

/** Trades go back from the index's first block; holders come up from the token's first transfer. */
export type BackfillKind = 'trades' | 'holders';

export type BackfillStatus = 'queued' | 'running' | 'done' | 'failed';

export interface BackfillRecord {
  readonly token: Address;
  readonly kind: BackfillKind;
  readonly status: BackfillStatus;
  readonly requestedAtMs: number;
  /** The oldest block of the range and its time; null until they are known. */
  readonly fromBlock: number | null;
  readonly fromMs: number | null;
  /** The first block after the range, where the index began, and the time of that. */
  readonly toBlock: number;
  readonly toMs: number | null;
  /**
   * Of trades: the blocks from here to `toBlock` are done. Of holders: the blocks before it are
   * done.
   */
  readonly nextBlock: number;
  /** The time of `nextBlock`; null before the first step. Of joined holders: of `joinBlock`. */
  readonly nextMs: number | null;
  /** Of holders: the block whose balances were replaced; null before. */
  readonly joinBlock: number | null;
  /** What the job needs to know to go on, in a form of its own. */
  readonly memory: string;
  /** Why it failed. */
  readonly reason: string | null;
}
