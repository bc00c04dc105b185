// Settings of V8 for an indexer: the memory of its thread, how much heaps may grow, and what is
// compiled.

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
 * V8's flags while an index is behind, and why:
 *
 * - A function with a loop over a batch is called a few times a second. V8 compiles it again and
 *   again while it runs ("on-stack replacement"), for a tenth of the CPU of an index, and drops the
 *   result. What such a loop calls is compiled all the same, and so is the function in the end.
 *   Only its quick compiler is kept from that: other threads have loops that run for seconds.
 * - On two cores the indexer and the store's thread need both. Threads that share the work of a
 *   collection only take turns with them: without, a swap takes 4 % less CPU.
 */
export function pickFlags(isBehind: boolean, cores: number): Readonly<Record<string, boolean>> {
  return {
    'maglev-osr': !isBehind,
    'parallel-scavenge': !isBehind || cores > BUSY_THREADS,
  };
}

/** What an operator has set stays. */
function setFlags(isBehind: boolean): void {
  const percent = pickHeapGrowth(getHeapStatistics().used_heap_size, isBehind);
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  for (const [name, isOn] of Object.entries(pickFlags(isBehind, availableParallelism()))) {
    if (!isFlagGiven(name)) setFlagsFromString(isOn ? `--${name}` : `--no-${name}`);
  }
}

/**
 * V8's flags are those of all threads of a process, and it reads these whenever they matter: they
 * follow the heap of the main thread, and whether an indexer is far behind its chain. The result
 * ends that.
 */
export function watchIndexerFlags(isBehind: () => boolean): () => void {
  setFlags(isBehind());
  const timer = setInterval(() => setFlags(isBehind()), LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    setFlags(false);
  };
}
