// Any throw → `AppError`: known errors keep their code, all others become `INTERNAL`.

import { AppError } from './app-error.ts';
import { UnavailableError } from './unavailable-error.ts';

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof UnavailableError) {
    const { upstream, retryAfterSeconds } = error;
    // The error itself is the cause, so that the log shows its own text too.
    return new AppError('UPSTREAM_UNAVAILABLE', { upstream }, { retryAfterSeconds, cause: error });
  }
  return new AppError('INTERNAL', {}, { cause: error });
}
