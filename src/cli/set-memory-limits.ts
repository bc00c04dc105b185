// Settings of memory and of V8 that take effect only when a process begins.

import { setFlagsFromString } from 'node:v8';
import { isFlagGiven } from '../lib/given-flags.ts';

/**
 * Of the C library (glibc). By default it keeps for later what was freed in blocks of up to 32 MB,
 * and has a heap for each thread: columns that grew while they were loaded would leave 300 MB.
 */
export const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: String(256 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 ** 2),
  MALLOC_ARENA_MAX: '2',
} as const;

/**
 * Of V8: two halves of so many megabytes hold the main thread's new objects. They would grow to 64
 * each.
 */
const YOUNG_FLAG = '--max-semi-space-size=8';
/** The flag would count for threads, too, before the limits of their own. */
const YOUNG_FLAG_OFF = '--max-semi-space-size=0';

/**
 * Of V8: its quick compiler leaves a function alone that runs already ("on-stack replacement").
 * Such a function loops over a batch a few times a second: it was compiled again and again, for a
 * tenth of the CPU of an index, and the result dropped. What the loop calls is compiled all the
 * same, and the slow compiler still replaces loops that run for seconds. V8 ends the process if
 * this changes while it runs.
 */
export const NO_LOOP_FLAG = '--no-maglev-osr';

const ADDED_FLAGS = { 'max-semi-space-size': YOUNG_FLAG, 'maglev-osr': NO_LOOP_FLAG };

/** Set in the second run. The C library may remove its own variables, so they are no such mark. */
const MARK = 'MINTWIRE_MEMORY_SET';

/**
 * Re-executes the process with these settings: the same pid, some 30 ms later. Does nothing if an
 * operator has set the allocator, or where it is not possible: they only save memory.
 */
export function setMemoryLimits(): void {
  const { env, execArgv, execPath, argv, platform } = process;
  if (execArgv.includes(YOUNG_FLAG)) setFlagsFromString(YOUNG_FLAG_OFF);
  const isSecondRun = env[MARK] !== undefined;
  delete env[MARK];
  const isSet = Object.keys(ALLOCATOR).some((name) => env[name] !== undefined);
  // The channel to a parent would be lost; workers have the settings of their primary.
  if (isSecondRun || isSet || platform !== 'linux' || process.channel) return;
  const added = Object.entries(ADDED_FLAGS).flatMap(([name, flag]) =>
    isFlagGiven(name) ? [] : [flag],
  );
  const args = [execPath, ...execArgv, ...added, ...argv.slice(1)];
  try {
    process.execve?.(execPath, args, { ...env, ...ALLOCATOR, [MARK]: '1' });
  } catch {
    // A sandbox forbids it.
  }
}
