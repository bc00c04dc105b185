// The memory of the indexer's thread.

import { getHeapStatistics } from 'node:v8';

/**
 * Batches are short-lived: without these limits V8 lets them grow to a hundred megabytes, and keeps
 * garbage up to three times what is alive. Below 2 GB it is at most as much again. A small machine
 * allows less.
 */
export const INDEXER_HEAP = {
  maxYoungGenerationSizeMb: 24,
  maxOldGenerationSizeMb: Math.min(1900, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20)),
};
