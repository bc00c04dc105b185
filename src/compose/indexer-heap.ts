// Settings of V8 for an indexer: the memory of its thread, and how much heaps may grow.

import { availableParallelism } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { isFlagGiven } from '../lib/given-flags.ts';

/**
 * How much a heap may grow beyond what is alive before it is marked again. By itself V8 lets a heap
 * with a limit below 2 GB double, and others grow fourfold, which costs a hundred megabytes. An
 * indexer has peaks of 363 MiB by 140 %, 342 by 115 % with 1.6 % less speed, 327 by 90 % with 4.6 %
 * less (0086). What serves a large market has far more in memory, and is to stay small: the rows
 * that a start reads would be kept for long.
 */
const GROWTH_PERCENT = { small: 120, large: 20 } as const;
/** More than the main thread needs for some thousand tokens. */
const LARGE_BYTES = 64 * 2 ** 20;
/** The same while history is indexed: at 40 % a swap took a quarter more CPU. */
const LARGE_BEHIND_BYTES = 256 * 2 ** 20;
const LOOK_MS = 1000;
/** Threads that are busy while an index is behind: the indexer's and the store's. */
const BUSY_THREADS = 2;

/**
 * Batches are short-lived: without these limits V8 lets the young heap grow to a hundred megabytes.
 * With half of it, twice as much of a batch outlives two collections, and a swap takes 12 µs more
 * CPU. A small machine allows less.
 */
export const INDEXER_HEAP = {
  maxYoungGenerationSizeMb: 48,
  maxOldGenerationSizeMb: Math.min(1900, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20)),
};

export function pickHeapGrowth(usedBytes: number, isBehind: boolean): number {
  const isLarge = usedBytes > (isBehind ? LARGE_BEHIND_BYTES : LARGE_BYTES);
  return GROWTH_PERCENT[isLarge ? 'large' : 'small'];
}

/**
 * On two cores the indexer and the store's thread need both. Threads that share the work of a
 * collection only take turns with them: without, a swap takes 4 % less CPU.
 */
export function sharesCollections(isBehind: boolean, cores: number): boolean {
  return !isBehind || cores > BUSY_THREADS;
}

/** What an operator has set stays. */
function setFlags(isBehind: boolean): void {
  const percent = pickHeapGrowth(getHeapStatistics().used_heap_size, isBehind);
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  if (isFlagGiven('parallel-scavenge')) return;
  const isShared = sharesCollections(isBehind, availableParallelism());
  setFlagsFromString(isShared ? '--parallel-scavenge' : '--no-parallel-scavenge');
}

/**
 * V8's flags are those of all threads of a process, and it reads these two whenever a collection
 * begins: they follow the heap of the main thread, and whether an indexer is far behind its chain.
 * Other flags may end the process when they change while it runs. The result ends that.
 */
export function watchIndexerFlags(isBehind: () => boolean): () => void {
  setFlags(isBehind());
  const timer = setInterval(() => setFlags(isBehind()), LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    setFlags(false);
  };
}
