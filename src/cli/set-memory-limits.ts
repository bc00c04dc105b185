// Settings of memory that take effect only when a process begins.

/**
 * Of the C library (glibc). By default it keeps for later what was freed in blocks of up to 32 MB,
 * and has a heap for each thread: columns that grew while they were loaded would leave 300 MB.
 */
const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: String(256 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 ** 2),
  MALLOC_ARENA_MAX: '2',
} as const;

/** Of V8: two halves of so many megabytes hold new objects. They would grow to 64 each. */
const YOUNG_FLAG = '--max-semi-space-size';
const YOUNG_MB = 8;

/**
 * Begins the process anew with them: the same process for whoever started it, and some 30 ms later.
 * Without effect if they are set already, by this or by an operator, or where that is impossible.
 */
export function setMemoryLimits(): void {
  const { env, execArgv, execPath, argv, platform } = process;
  const isSet = Object.keys(ALLOCATOR).some((name) => env[name] !== undefined);
  // The channel to a parent would be lost; workers have the settings of their primary.
  if (isSet || platform !== 'linux' || process.channel || process.execve === undefined) return;
  const given = [env['NODE_OPTIONS'] ?? '', ...execArgv].join(' ');
  const added = given.includes(YOUNG_FLAG) ? [] : [`${YOUNG_FLAG}=${YOUNG_MB}`];
  const args = [execPath, ...execArgv, ...added, ...argv.slice(1)];
  process.execve(execPath, args, { ...env, ...ALLOCATOR });
}
