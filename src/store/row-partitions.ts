// Tables that an engine divides by time, so that old rows go at once, with their partition.

export type DividedTable = 'trades' | 'candles';

export interface PartitionPlan {
  /** How many days one partition holds. */
  readonly spanDays: number;
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

export interface RowPartitions {
  /**
   * Adds partitions ahead of the chain's time and drops those that no chain keeps. The first call
   * divides the table. Readers go first: what needs a lock that others hold is left for later.
   */
  rotate(table: DividedTable, plan: PartitionPlan): Promise<OldRowsLeft>;
}
