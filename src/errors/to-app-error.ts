// Any throw as an `AppError`: known ones keep their code, the rest are ours and say nothing.

import { AppError } from './app-error.ts';
import { UnavailableError } from './unavailable-error.ts';

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof UnavailableError) {
    const { upstream, cause } = error;
    return new AppError('UPSTREAM_UNAVAILABLE', { upstream }, { retryAfterSeconds: 2, cause });
  }
  return new AppError('INTERNAL', {}, { cause: error });
}
