// The memory of the indexer's thread.

import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * How much a heap may grow beyond what is alive before it is marked again. By itself V8 lets a heap
 * with a limit below 2 GB double, which costs a tenth more CPU, and others grow fourfold, which
 * costs an indexer a hundred megabytes. What serves has far more in memory, and is to stay small
 * (as `cli/set-memory-limits.ts` says).
 */
const GROWTH_PERCENT = { indexing: 150, serving: 30 } as const;

/**
 * Batches are short-lived: without these limits V8 lets the young heap grow to a hundred megabytes.
 * A small machine allows less.
 */
export const INDEXER_HEAP = {
  maxYoungGenerationSizeMb: 24,
  maxOldGenerationSizeMb: Math.min(1900, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20)),
};

/** Before the thread starts. V8 has one growth for all threads of a process. */
export function setHeapGrowth(use: keyof typeof GROWTH_PERCENT): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT[use]}`);
}
