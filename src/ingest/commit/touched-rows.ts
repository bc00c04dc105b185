// The rows that each commit touched, kept until it is final, because a rollback touches them again.

import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';

/** What a commit touched, up to its last block. */
export interface TouchedRows {
  readonly toBlock: number;
  readonly tokens: readonly Address[];
  readonly pools: readonly PoolId[];
}

export class TouchedLog {
  #rows: TouchedRows[] = [];
  /** For commits up to this block the touched rows are unknown. */
  #since = 0;

  /** The store was read at a block; what earlier processes touched is unknown. */
  load(block: number): void {
    if (this.#rows.at(-1)?.toBlock === block) return;
    this.#rows = [];
    this.#since = block;
  }

  note({ toBlock, tokens, pools }: TouchedRows, checkpoint: Checkpoint): void {
    // The next rollback may remove what this one left of a commit.
    this.#rows = this.#rows
      .filter((touched) => touched.toBlock > checkpoint.finalizedBlock)
      .map((touched) => ({ ...touched, toBlock: Math.min(touched.toBlock, checkpoint.block) }));
    if (toBlock > checkpoint.finalizedBlock) this.#rows.push({ toBlock, tokens, pools });
  }

  listAbove(block: number): TouchedRows[] {
    return this.#rows.filter(({ toBlock }) => toBlock > block);
  }

  /** Whether the touched rows of every commit above a block are known. */
  isWholeAbove(block: number): boolean {
    return block >= this.#since;
  }

  rollBack(block: number): void {
    this.#since = Math.min(this.#since, block);
  }
}
