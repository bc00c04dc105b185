// How long access keeps expired data.

const HOUR_MS = 3_600_000;

/** How long an idempotency key is valid. */
export const IDEMPOTENCY_LIFE_MS = 24 * HOUR_MS;

export const USAGE_HOURS = 24;

/** How long it is kept what keys were used for: 92 days, as `GET /usage` says. */
export const OPERATION_USAGE_HOURS = 92 * 24;

/** The hour in which usage is counted. */
export function toHour(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}
