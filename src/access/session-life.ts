// The lifetime of a session: a day without use, a month in total.

import type { SessionRecord } from '../model/access-record.ts';

const DAY_MS = 86_400_000;
const SESSION_IDLE_MS = DAY_MS;
export const SESSION_LIFE_MS = 30 * DAY_MS;

export function computeIdleEnd(lastUsedAtMs: number): number {
  return lastUsedAtMs + SESSION_IDLE_MS;
}

/** When the session ends unless it is used before. */
export function computeSessionEnd(session: {
  readonly lastUsedAtMs: number;
  readonly expiresAtMs: number;
}): number {
  return Math.min(session.expiresAtMs, computeIdleEnd(session.lastUsedAtMs));
}

export function isLiveSession(session: SessionRecord, nowMs: number): boolean {
  return nowMs < computeSessionEnd(session);
}
