// How long access keeps expired data.

const HOUR_MS = 3_600_000;

/** How long an idempotency key is valid. */
export const IDEMPOTENCY_LIFE_MS = 24 * HOUR_MS;

/** Challenges live for minutes; their use is remembered for longer, in case clocks differ. */
export const USED_CHALLENGE_LIFE_MS = HOUR_MS;

/** A session that was not used for so long has ended on every node. */
export const IDLE_SESSION_LIFE_MS = 25 * HOUR_MS;

/** How long keys that were revoked or have expired stay in the list. */
export const ENDED_KEY_LIFE_MS = 7 * 24 * HOUR_MS;

/** How long a wallet without sessions and keys is remembered after its last sign-in. */
export const BARE_WALLET_LIFE_MS = 24 * HOUR_MS;

export const USAGE_HOURS = 24;

/** How long it is kept what keys were used for: 92 days, as `GET /usage` says. */
export const OPERATION_USAGE_HOURS = 92 * 24;

/** The hour in which usage is counted. */
export function toHour(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}
