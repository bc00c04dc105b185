// The error of a search that finds no room.

import { AppError } from '../../errors/app-error.ts';

const RETRY_AFTER_SECONDS = 1;

export function buildOverloadedError(cause?: Error): AppError {
  return new AppError('OVERLOADED', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}
