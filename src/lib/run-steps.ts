// Work in the background, step by step: it rests when there is nothing to do, and waits longer
// after each failure.

import { type Backoff, computeBackoffMs, type Random, type Sleep } from './retry.ts';

const IDLE_MS = 250;
const BACKOFF: Backoff = { baseMs: 1_000, maxMs: 60_000 };

interface StepOptions {
  readonly idleMs?: number | undefined;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** `step` returns whether there may be more to do at once. Resolves when the signal is aborted. */
export async function runSteps(step: () => Promise<boolean>, options: StepOptions): Promise<void> {
  const { idleMs = IDLE_MS, sleep, random, signal, onError } = options;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const hasWorked = await step();
      failures = 0;
      if (!hasWorked) await sleep(idleMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      onError(error);
      await sleep(computeBackoffMs(failures, BACKOFF, random), signal).catch(() => undefined);
    }
  }
}
