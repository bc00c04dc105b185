// Tables that an engine divides by time, so that old rows go at once, with their partition.

import type { ChainSlug } from '../model/chain.ts';

export type DividedTable = 'trades' | 'candles';

export interface PartitionPlan {
  readonly chain: ChainSlug;
  /** How many days one partition holds; null if all rows are kept from now on. */
  readonly spanDays: number | null;
  /** The time of the chain's last block. */
  readonly nowMs: number;
  /** Rows before it are not kept; of candles those of days are. */
  readonly floorMs: number;
}

/**
 * What is left below the floor: nothing, whole partitions that cannot be dropped yet, or rows that
 * have to be deleted.
 */
export type OldRowsLeft = 'none' | 'partitions' | 'rows';

/** `later` if somebody held the table, and nothing was done. */
export type DivisionResult = 'done' | 'before' | 'later';

export interface RowPartitions {
  /**
   * Adds partitions ahead of the chain's time and drops those that no chain keeps. A table without
   * rows is divided first, if rows are not kept for ever. Readers go first: what needs a lock that
   * others hold is left for later.
   */
  rotate(table: DividedTable, plan: PartitionPlan): Promise<OldRowsLeft>;
  /** Divides a table with its rows, which are scanned: everybody waits for that, some minutes. */
  divide(table: DividedTable): Promise<DivisionResult>;
}
