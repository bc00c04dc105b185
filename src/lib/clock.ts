// Time, injected so that tests control it.

export interface Clock {
  /** Unix milliseconds of the wall clock; may jump. */
  nowMs(): number;
  /**
   * Milliseconds from an arbitrary start that never go back: for measuring and limiting. The same
   * in all threads of a process.
   */
  monotonicMs(): number;
}

function readProcessMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** `performance.now()` is the faster of the two, but counts from the start of its own thread. */
const THREAD_START_MS = readProcessMs() - performance.now();

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => THREAD_START_MS + performance.now(),
};
