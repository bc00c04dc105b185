// Gives up the core for a moment.

const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));
/** The kernel adds its timer slack, 50 µs by default. */
const PAUSE_MS = 0.02;

/**
 * For a thread that computes for long. Linux lets it use up its slice of one to three milliseconds
 * when another thread wakes up on the same core, however low its priority is.
 */
export function pauseThread(): void {
  Atomics.wait(NEVER_WOKEN, 0, 0, PAUSE_MS);
}
