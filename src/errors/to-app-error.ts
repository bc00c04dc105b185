// Any throw as an `AppError`: known ones keep their code, the rest are ours and say nothing.

import { AppError } from './app-error.ts';
import { UnavailableError } from './unavailable-error.ts';

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof UnavailableError) {
    const { upstream, retryAfterSeconds } = error;
    // The error itself is the cause: the log shows what it adds to its own cause.
    return new AppError('UPSTREAM_UNAVAILABLE', { upstream }, { retryAfterSeconds, cause: error });
  }
  return new AppError('INTERNAL', {}, { cause: error });
}
