// The time range of a request, both ends inclusive.

import { buildInvalidInputError } from '../errors/app-error.ts';
import type { TimeRange } from '../store/market-reads.ts';

export function parseTimeRange(input: {
  readonly startTime?: number;
  readonly endTime?: number;
}): TimeRange {
  const { startTime = 0, endTime = Number.MAX_SAFE_INTEGER - 1 } = input;
  if (startTime > endTime) {
    throw buildInvalidInputError([{ path: 'endTime', message: 'must not be before startTime' }]);
  }
  return { fromMs: startTime, toMs: endTime + 1 };
}
