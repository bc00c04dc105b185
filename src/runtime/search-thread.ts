// The entry of a thread for route searches that take too long for the main thread.

import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../lib/lower-thread-priority.ts';
import { createSearchAnswerer } from '../trading/search/answer-searches.ts';
import type { SearchCommand } from '../trading/search/search-message.ts';

const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));
/** The kernel adds its timer slack, 50 µs by default. */
const PAUSE_MS = 0.02;

/**
 * For a thread that computes for long. Linux lets it use up its slice of one to three milliseconds
 * when another thread wakes up on the same core, however low its priority is.
 */
function pauseThread(): void {
  Atomics.wait(NEVER_WOKEN, 0, 0, PAUSE_MS);
}

lowerThreadPriority();
const answer = createSearchAnswerer((message) => parentPort?.postMessage(message), pauseThread);
parentPort?.on('message', (command: SearchCommand) => answer(command));
