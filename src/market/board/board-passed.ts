// Waiting for a commit to reach what is kept in memory.

/** It is already past the commit that was to be read, or too late: read again at a later one. */
export class BoardPassedError extends Error {}

/** Commits usually arrive within milliseconds of the store's. */
const WAIT_MAX_MS = 5_000;

/** Rejects if a commit does not arrive: a wait must not hold a request, or a snapshot, for ever. */
export async function withDeadline<T>(waiting: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new BoardPassedError('The commit did not arrive in time')),
    WAIT_MAX_MS,
  );
  try {
    return await Promise.race([waiting, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
