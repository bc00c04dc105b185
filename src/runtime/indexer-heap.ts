// The memory of an indexer's thread, and how much heaps may grow before they are marked again.

import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * By itself V8 lets a heap with a limit below 2 GB double, and others grow fourfold, which costs a
 * hundred megabytes. An indexer has peaks of 363 MiB by 140 %, 342 by 115 % with 1.6 % less speed,
 * 327 by 90 % with 4.6 % less (docs/decisions/tuning.md). What serves a large market has far more
 * in memory, and is to stay small: the rows that a start reads would be kept for long.
 */
const GROWTH_PERCENT = { small: 120, large: 20 } as const;
/** More than the main thread needs for some thousand tokens. */
const LARGE_BYTES = 128 * 2 ** 20;
const LOOK_MS = 1000;

/**
 * Batches are short-lived: without these limits V8 lets the young heap grow to a hundred megabytes.
 * With half of it, twice as much of a batch outlives two collections, and a swap takes 12 µs more
 * CPU. A small machine allows less.
 */
export const INDEXER_HEAP = {
  maxYoungGenerationSizeMb: 48,
  maxOldGenerationSizeMb: Math.min(1900, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20)),
};

export function pickHeapGrowth(usedBytes: number): number {
  return GROWTH_PERCENT[usedBytes > LARGE_BYTES ? 'large' : 'small'];
}

/**
 * V8 has one such flag for all threads of a process, and reads it at every collection: it follows
 * the heap of the main thread. The result ends that.
 */
export function watchHeapGrowth(): () => void {
  const set = () =>
    setFlagsFromString(
      `--heap-growing-percent=${pickHeapGrowth(getHeapStatistics().used_heap_size)}`,
    );
  set();
  const timer = setInterval(set, LOOK_MS).unref();
  return () => clearInterval(timer);
}
