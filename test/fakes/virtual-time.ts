// Time in which waits take no time: when everything waits, the clock jumps to the first that ends.

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../src/lib/clock.ts';

interface Waiting {
  readonly atMs: number;
  readonly resolve: () => void;
}

/** How long nobody may begin to wait until everything counts as waiting; messages take a moment. */
const QUIET_MS = 1;

export class VirtualTime implements Clock {
  #nowMs = 0;
  #begun = 0;
  #isStopped = false;
  readonly #startMs: number;
  readonly #waiting = new Set<Waiting>();
  readonly #onAdvance: (nowMs: number) => void;

  constructor(startMs: number, onAdvance: (nowMs: number) => void) {
    this.#startMs = startMs;
    this.#onAdvance = onAdvance;
  }

  nowMs(): number {
    return this.#startMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    this.#begun += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { atMs: this.#nowMs + Math.max(0, ms), resolve };
    this.#waiting.add(waiting);
    const end = () => resolve();
    signal?.addEventListener('abort', end, { once: true });
    await promise;
    signal?.removeEventListener('abort', end);
    this.#waiting.delete(waiting);
    signal?.throwIfAborted();
  };

  /** Until `stop`. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      let begun: number;
      do {
        begun = this.#begun;
        await delay(QUIET_MS);
      } while (begun !== this.#begun);
      const nextMs = Math.min(...Array.from(this.#waiting, ({ atMs }) => atMs));
      if (nextMs === Number.POSITIVE_INFINITY) continue;
      this.#nowMs = Math.max(this.#nowMs, nextMs);
      this.#onAdvance(this.nowMs());
      for (const { atMs, resolve } of this.#waiting) if (atMs <= this.#nowMs) resolve();
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}
