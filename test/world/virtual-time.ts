// Time that passes as fast as the work in it allows: when nothing is left to do but to wait, the
// clock jumps to the next timer. Hours pass in seconds, and in the same order for the same seed.

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/lib/clock.ts';
import { type Sleep, sleep } from '../../src/lib/retry.ts';

interface Timer {
  readonly atMs: number;
  /** Of two timers for one moment, the first that was set comes first. */
  readonly order: number;
  call: () => void;
  isCancelled: boolean;
}

/** A binary heap, the next timer first: thousands of deadlines wait that never come. */
class Timers {
  readonly #heap: Timer[] = [];

  add(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  take(): Timer | undefined {
    const heap = this.#heap;
    if (heap.length > 1) this.#swap(0, heap.length - 1);
    const first = heap.pop();
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const least = right < heap.length && this.#isBefore(right, left) ? right : left;
      if (least >= heap.length || !this.#isBefore(least, at)) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a]!, this.#heap[b]!];
    return one.atMs === other.atMs ? one.order < other.order : one.atMs < other.atMs;
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  }
}

/** Resolves when nothing of this process is about to run: promises and immediates are done. */
async function settle(): Promise<void> {
  do await setImmediate();
  while (process.getActiveResourcesInfo().includes('Immediate'));
}

export class VirtualTime implements Clock {
  readonly #startMs: number;
  readonly #timers = new Timers();
  #passedMs = 0;
  #orders = 0;
  /** Work during which time stands still. */
  #halts = 0;
  /** How many parts of this process wait for their next turn. */
  sleeping = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  nowMs(): number {
    return this.#startMs + Math.floor(this.#passedMs);
  }

  /** From an hour on, so that nothing takes it for the start of the process. */
  monotonicMs(): number {
    return 3_600_000 + this.#passedMs;
  }

  /** Calls back after a time; the result cancels that. */
  after(ms: number, call: () => void): () => void {
    const atMs = this.#passedMs + Math.max(0, ms);
    const timer: Timer = { atMs, order: this.#orders++, call, isCancelled: false };
    this.#timers.add(timer);
    return () => {
      timer.isCancelled = true;
      // It stays in the heap until its time comes, without what it holds.
      timer.call = () => undefined;
    };
  }

  readonly sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.sleeping += 1;
      const onAbort = () => {
        this.sleeping -= 1;
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(ms, () => {
        this.sleeping -= 1;
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  /** Time stands still until this is done, which may wait for the machine but not for time. */
  async halt<T>(work: Promise<T>): Promise<T> {
    this.#halts += 1;
    return await work.finally(() => {
      this.#halts -= 1;
    });
  }

  /** Lets time pass until the work is done; rejects with it, or when more than `maxMs` passed. */
  async run<T>(work: Promise<T>, maxMs = Number.POSITIVE_INFINITY): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    const endMs = this.#passedMs + maxMs;
    for (;;) {
      await settle();
      if (isDone) return await work;
      if (this.#halts > 0) {
        await sleep(1);
        continue;
      }
      const next = this.#timers.take();
      if (next === undefined) throw new Error('nothing is left that could end the work');
      if (next.isCancelled) continue;
      if (next.atMs > endMs) throw new Error(`not done after ${maxMs} ms`);
      this.#passedMs = Math.max(this.#passedMs, next.atMs);
      next.call();
    }
  }
}
