// Spaces requests out, so that background work sends at most so many a minute on average.

import type { Clock } from '../../lib/clock.ts';
import type { Sleep } from '../../lib/retry.ts';

const MINUTE_MS = 60_000;

interface CallBudgetOptions {
  readonly callsPerMinute: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly sleep: Sleep;
}

export class CallBudget {
  readonly #options: CallBudgetOptions;
  #freeAtMs = 0;
  #spent = 0;

  constructor(options: CallBudgetOptions) {
    this.#options = options;
  }

  /** The calls since the start. */
  get spent(): number {
    return this.#spent;
  }

  /** Waits until earlier calls are paid for. */
  async wait(signal: AbortSignal): Promise<void> {
    const { clock, sleep } = this.#options;
    const waitMs = this.#freeAtMs - clock.nowMs();
    if (waitMs > 0) await sleep(waitMs, signal);
  }

  spend(calls: number): void {
    const { clock, callsPerMinute } = this.#options;
    this.#spent += calls;
    const spentMs = Math.ceil((calls * MINUTE_MS) / callsPerMinute);
    this.#freeAtMs = Math.max(this.#freeAtMs, clock.nowMs()) + spentMs;
  }
}
