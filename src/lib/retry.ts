// Backoff between attempts, and an abortable sleep.

import { setTimeout as delay } from 'node:timers/promises';

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Returns a number from 0 up to, but not including, 1. */
export type Random = () => number;

export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * Exponential backoff with jitter over the upper half, so that many waiters do not return at once
 * and none returns almost immediately. `attempt` counts from 1.
 */
export function computeBackoffMs(attempt: number, backoff: Backoff, random: Random): number {
  // The exponent is bounded so that a long outage cannot overflow to infinity.
  const exponent = Math.min(Math.max(attempt - 1, 0), 30);
  const ceilingMs = Math.min(backoff.maxMs, backoff.baseMs * 2 ** exponent);
  return Math.round(ceilingMs * (0.5 + random() / 2));
}

/** Sleeps in real time; rejects with the signal's reason when it is aborted. */
export const sleep: Sleep = async (ms, signal) => {
  try {
    await delay(Math.max(0, ms), undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};
