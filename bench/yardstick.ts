// A fixed piece of work on two cores at once: how long it takes tells how fast the machine is now.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** As many as an indexer keeps busy. */
const THREADS = 2;

export interface Yardstick {
  /** Milliseconds that the work takes, the mean of the threads. */
  measure(): Promise<number>;
  stop(): Promise<void>;
}

export async function startYardstick(): Promise<Yardstick> {
  const workers = Array.from(
    { length: THREADS },
    () => new Worker(new URL('./yardstick-work.ts', import.meta.url)),
  );
  const awaitAll = () => Promise.all(workers.map((worker) => once(worker, 'message')));
  await awaitAll();
  return {
    async measure() {
      const heard = awaitAll();
      for (const worker of workers) worker.postMessage('run');
      const times = (await heard).map(([ms]) => Number(ms));
      return times.reduce((sum, ms) => sum + ms, 0) / THREADS;
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

export interface TimedRun<T> {
  readonly timing: T;
  /** What the yardstick took before and after it, on average. */
  readonly yardstickMs: number;
}

/** The runs beside which the machine was fastest, whatever they took themselves. */
export function pickAtRest<T>(runs: readonly TimedRun<T>[], count: number): TimedRun<T>[] {
  return runs.toSorted((a, b) => a.yardstickMs - b.yardstickMs).slice(0, count);
}
