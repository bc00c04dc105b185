// Search threads as worker threads of this process.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../lib/clock.ts';
import { YOUNG_HEAP } from '../lib/thread-heap.ts';
import type { SearchMessage } from '../trading/search/search-message.ts';
import {
  type SearchThread,
  SearchThreads,
  type ThreadEvents,
} from '../trading/search/search-threads.ts';

/** One core for reads and one for the indexer. */
const CORES_KEPT = 2;
const THREADS_MAX = 4;
/** Several times the memory that a thread used with the maximum number of pools. */
const MEMORY_MB = 384;
/** Some seconds of searching; per caller, as many quotes as a page might request at once. */
const QUEUE = { lengthMax: 128, perCallerMax: 32 };

export function startSearchThread(events: ThreadEvents): SearchThread {
  const worker = new Worker(new URL('./search-thread.ts', import.meta.url), {
    resourceLimits: { ...YOUNG_HEAP, maxOldGenerationSizeMb: MEMORY_MB },
  });
  let cause = new Error('a search thread ended');
  worker.on('message', (message: SearchMessage) => events.onMessage(message));
  worker.on('error', (error: Error) => {
    cause = error;
  });
  worker.on('exit', () => events.onEnd(cause));
  return {
    post: (command) => worker.postMessage(command),
    end: async () => {
      await worker.terminate();
    },
  };
}

export function openSearchThreads(options: {
  readonly clock: Clock;
  readonly logger: { error(fields: object, message: string): void };
}): SearchThreads {
  return new SearchThreads({
    startThread: startSearchThread,
    threadCountMax: Math.max(1, Math.min(THREADS_MAX, availableParallelism() - CORES_KEPT)),
    queue: QUEUE,
    clock: options.clock,
    log: options.logger,
  });
}
