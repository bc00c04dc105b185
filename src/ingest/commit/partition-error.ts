// The error of partitions that could not be made or dropped.

import type { DividedTable } from '../../store/row-partitions.ts';

/** The engine's own message, which says more than the error around it. */
function describeFirst(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? describeFirst(error.cause) : error.message;
}

/** Partitions could not be created or dropped; until then rows are deleted one by one. */
export class PartitionError extends Error {
  constructor(table: DividedTable, cause: unknown) {
    super(
      `The partitions of ${table} could not be changed: ${describeFirst(cause)}. ` +
        'Old rows are deleted one by one; it is tried again every hour.',
      { cause },
    );
    this.name = 'PartitionError';
  }
}
