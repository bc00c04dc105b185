// When the partitions of a table are created and dropped: once for each span of time and each new
// floor, and again after a while if a lock or an error prevented it.

import type { ChainSlug } from '../../model/chain.ts';
import type { DividedTable, OldRowsLeft, RowPartitions } from '../../store/row-partitions.ts';

// The error of partitions that could not be made or dropped.

/** The engine's own message, which says more than the error around it. */
function describeFirst(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? describeFirst(error.cause) : error.message;
}

/** Partitions could not be created or dropped; until then rows are deleted one by one. */
class PartitionError extends Error {
  constructor(table: DividedTable, cause: unknown) {
    super(
      `The partitions of ${table} could not be changed: ${describeFirst(cause)}. ` +
        'Old rows are deleted one by one; it is tried again every hour.',
      { cause },
    );
    this.name = 'PartitionError';
  }
}

/** Reads without a time range scan every partition, so their number is limited. */
const PARTITIONS_MAX = 16;
/** Commits after which a partition that could not be dropped is tried again. */
const PAUSE_COMMITS = 30;
/** After an error that the next commit would most likely repeat, such as a missing privilege. */
const ERROR_PAUSE_MS = 60 * 60 * 1000;
const DAY_MS = 86_400_000;

interface KeptDays {
  /** Null keeps all rows. */
  readonly days: number | null;
  /** The time of the chain's last block. */
  readonly nowMs: number;
  readonly floorMs: number | undefined;
}

interface PartitionRotationOptions {
  readonly table: DividedTable;
  readonly chain: ChainSlug;
  /** Called with the first of several errors. */
  readonly onError: (error: PartitionError) => void;
  readonly monotonicMs: () => number;
}

export class PartitionRotation {
  readonly #options: PartitionRotationOptions;
  /** The chain's time from which on more partitions are needed. */
  #aheadMs = Number.NEGATIVE_INFINITY;
  #floorMs = 0;
  #left: OldRowsLeft = 'none';
  #pause = 0;
  /** Until when nothing is tried; null if the last try has worked. */
  #failedUntilMs: number | null = null;

  constructor(options: PartitionRotationOptions) {
    this.#options = options;
  }

  /** True if rows below the floor have to be deleted. */
  async run(partitions: RowPartitions, kept: KeptDays): Promise<boolean> {
    const { monotonicMs, onError, table } = this.#options;
    if (this.#failedUntilMs !== null && monotonicMs() < this.#failedUntilMs) return true;
    try {
      await this.#rotate(partitions, kept);
      this.#failedUntilMs = null;
    } catch (error) {
      const isFirst = this.#failedUntilMs === null;
      this.#failedUntilMs = monotonicMs() + ERROR_PAUSE_MS;
      this.#aheadMs = Number.NEGATIVE_INFINITY;
      this.#left = 'rows';
      if (isFirst) onError(new PartitionError(table, error));
    }
    return this.#left === 'rows';
  }

  async #rotate(partitions: RowPartitions, { days, nowMs, floorMs = 0 }: KeptDays): Promise<void> {
    if (this.#left === 'partitions') this.#pause -= 1;
    const isRetry = this.#left === 'partitions' && this.#pause <= 0;
    if (!isRetry && nowMs < this.#aheadMs && floorMs <= this.#floorMs) return;
    const { table, chain } = this.#options;
    const spanDays = days === null ? null : Math.ceil(days / PARTITIONS_MAX);
    this.#left = await partitions.rotate(table, { chain, spanDays, nowMs, floorMs });
    this.#aheadMs = nowMs + (spanDays ?? 1) * DAY_MS;
    this.#floorMs = floorMs;
    this.#pause = PAUSE_COMMITS;
  }
}
