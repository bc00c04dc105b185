// The error of partitions that could not be made or dropped.

import type { DividedTable } from '../../store/row-partitions.ts';

/** What the engine has said: an error around it knows less. */
function describeFirst(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? describeFirst(error.cause) : error.message;
}

/** Partitions could not be looked after; rows are deleted one by one meanwhile. */
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
