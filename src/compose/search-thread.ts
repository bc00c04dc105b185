// The entry of a thread for route searches that take too long for the main thread.

import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../lib/lower-thread-priority.ts';
import { pauseThread } from '../lib/pause-thread.ts';
import { createSearchAnswerer } from '../trading/search/answer-searches.ts';
import type { SearchCommand } from '../trading/search/search-message.ts';

lowerThreadPriority();
const answer = createSearchAnswerer((message) => parentPort?.postMessage(message), pauseThread);
parentPort?.on('message', (command: SearchCommand) => answer(command));
