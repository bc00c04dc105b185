// Runs test files, each in its own process with a time limit.

import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { findTree, killTree } from './process-tree.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface RunLimits {
  /** A test that takes longer fails by name. */
  readonly testMs: number;
  /** A file that takes longer fails by name, and what it started is ended. */
  readonly fileMs: number;
}

/**
 * The whole suite takes less than 15 minutes on two cores. A single file that takes as long hangs,
 * even on a machine that is ten times slower.
 */
export const LIMITS: RunLimits = { testMs: 10 * 60_000, fileMs: 15 * 60_000 };

/** The process that runs a file: our child with its path as an argument. */
async function endFile(file: string): Promise<void> {
  const found = findTree(process.pid).find(
    ({ parentPid, command }) => parentPid === process.pid && command.includes(file),
  );
  if (found !== undefined) await killTree(found.pid);
}

const END_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Rejects when this process gets a signal, once all that the files started has ended. */
export function runFiles(files: string[], limits: RunLimits): Promise<Counts> {
  const { promise, resolve, reject } = Promise.withResolvers<Counts>();
  const stop = new AbortController();
  const stopFor = (signal: NodeJS.Signals) => {
    // Before the abort: a file that has ended can no longer be asked what it started.
    const ending = Promise.all(files.map(endFile));
    stop.abort();
    ending.finally(() => reject(new Error(`ended by ${signal}`)));
  };
  for (const signal of END_SIGNALS) process.once(signal, stopFor);
  const done = watchRun(files, { ...limits, signal: stop.signal });
  // A stopped run ends with the signal, after its files have ended.
  done.then(
    (counts) => stop.signal.aborted || resolve(counts),
    (error) => stop.signal.aborted || reject(error),
  );
  return promise.finally(() => {
    for (const signal of END_SIGNALS) process.off(signal, stopFor);
  });
}

function watchRun(
  files: string[],
  limits: RunLimits & { readonly signal: AbortSignal },
): Promise<Counts> {
  return new Promise((resolve, reject) => {
    const timers = new Map<string, NodeJS.Timeout>();
    const { signal, testMs: timeout } = limits;
    const stream = run({ files, concurrency: 2, timeout, signal });
    stream.on('test:dequeue', ({ name, file }) => {
      // A file is reported like a test of its name.
      if (file === undefined || name !== file || timers.has(file) || signal.aborted) return;
      const end = () => {
        console.error(`NO END: ${file} was still running after ${limits.fileMs / 1000} s`);
        endFile(file).catch(reject);
      };
      timers.set(file, setTimeout(end, limits.fileMs));
    });
    stream.on('test:summary', ({ counts, file }) => {
      // A summary without a file is that of the whole run.
      if (file !== undefined) {
        clearTimeout(timers.get(file));
        return;
      }
      for (const timer of timers.values()) clearTimeout(timer);
      const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
      resolve({ passed: counts.passed, failed, skipped: counts.skipped });
    });
    stream.on('error', reject);
    stream.compose(spec).pipe(process.stdout);
  });
}
