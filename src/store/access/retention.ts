// How long access remembers what is over.

const HOUR_MS = 3_600_000;

/** A word of idempotency is honoured for so long. */
export const IDEMPOTENCY_LIFE_MS = 24 * HOUR_MS;

export const USAGE_HOURS = 24;

/** The hour that usage is counted under. */
export function toHour(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}
