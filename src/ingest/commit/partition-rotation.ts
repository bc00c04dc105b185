// When the partitions of a table are looked after: once for each span of time and each new floor,
// and again after a while if something was in the way.

import type { DividedTable, OldRowsLeft, RowPartitions } from '../../store/row-partitions.ts';

/** Reads that concern all times look into each of them, so there are only so many. */
const PARTITIONS_MAX = 16;
/** Commits after which a partition that could not be dropped is tried again. */
const PAUSE_COMMITS = 30;
const DAY_MS = 86_400_000;

interface KeptDays {
  /** Null keeps all rows. */
  readonly days: number | null;
  /** The time of the chain's last block. */
  readonly nowMs: number;
  readonly floorMs: number | undefined;
}

export class PartitionRotation {
  readonly #table: DividedTable;
  /** The chain's time from which on more partitions are needed. */
  #aheadMs = Number.NEGATIVE_INFINITY;
  #floorMs = 0;
  #left: OldRowsLeft = 'none';
  #pause = 0;

  constructor(table: DividedTable) {
    this.#table = table;
  }

  /** True if rows below the floor have to be deleted. */
  async run(partitions: RowPartitions, { days, nowMs, floorMs }: KeptDays): Promise<boolean> {
    if (days === null || floorMs === undefined) return true;
    if (this.#left === 'partitions') this.#pause -= 1;
    const isRetry = this.#left === 'partitions' && this.#pause <= 0;
    if (isRetry || nowMs >= this.#aheadMs || floorMs > this.#floorMs) {
      const spanDays = Math.ceil(days / PARTITIONS_MAX);
      this.#left = await partitions.rotate(this.#table, { spanDays, nowMs, floorMs });
      this.#aheadMs = nowMs + spanDays * DAY_MS;
      this.#floorMs = floorMs;
      this.#pause = PAUSE_COMMITS;
    }
    return this.#left === 'rows';
  }
}
