// Runs test files, each in a process with a time limit.

import { availableParallelism } from 'node:os';
import { relative, resolve as resolvePath } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { endFiles, FileWatch } from './file-watch.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly SkippedTest[];
}

/** A test that was skipped, or a whole suite: Node does not say how many tests that has. */
interface SkippedTest {
  readonly name: string;
  readonly file: string;
  /** Empty if the test gave none. */
  readonly reason: string;
}

export interface RunLimits {
  /** A test that takes longer fails by name. */
  readonly testMs: number;
  /** A file that takes longer fails by name, and what it started is ended. */
  readonly fileMs: number;
  /** How often the run looks for files whose process has ended while their output is open. */
  readonly lookMs: number;
}

/**
 * The whole suite takes less than 15 minutes on two cores. A single file that takes as long hangs,
 * even on a machine that is ten times slower.
 */
export const LIMITS: RunLimits = { testMs: 10 * 60_000, fileMs: 15 * 60_000, lookMs: 5000 };

/** Begins the reason of a skip that no checkout can mend: a program or compiler of other people. */
const EXCUSE = 'NOT RUN: ';

/** Names the tests that were skipped; returns how many of them count as failed. */
export function reportSkipped(
  skipped: readonly SkippedTest[],
  { mustRunAll }: { readonly mustRunAll: boolean },
): number {
  const isFailed = ({ reason }: SkippedTest) => mustRunAll && !reason.startsWith(EXCUSE);
  for (const one of skipped) {
    const why = one.reason === '' ? '' : ` (${one.reason})`;
    const mark = isFailed(one) ? 'SKIPPED, WHICH FAILS HERE' : 'SKIPPED';
    console.log(`${mark}: ${one.file}: ${one.name}${why}`);
  }
  return skipped.filter(isFailed).length;
}

const END_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Rejects when this process gets a signal, once all that the files started has ended. */
export function runFiles(paths: readonly string[], limits: RunLimits): Promise<Counts> {
  // Files are reported by their whole paths.
  const files = paths.map((path) => resolvePath(path));
  const { promise, resolve, reject } = Promise.withResolvers<Counts>();
  const stop = new AbortController();
  const stopFor = (signal: NodeJS.Signals) => {
    // Before the abort: a file that has ended can no longer be asked what it started.
    const ending = endFiles(files);
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
    const { signal, testMs: timeout } = limits;
    const watch = new FileWatch({ ...limits, total: files.length, onError: reject });
    signal.addEventListener('abort', () => watch.report());
    const skipped: SkippedTest[] = [];
    // One more than there are cores: many files wait for a chain, a store or a browser.
    const stream = run({ files, concurrency: availableParallelism() + 1, timeout, signal });
    // A file is reported like a test of its name.
    stream.on('test:dequeue', ({ name, file }) => {
      if (file !== undefined && name === file && !signal.aborted) watch.begin(file);
    });
    stream.on('test:complete', ({ name, file }) => {
      if (file !== undefined && name === file) watch.end(file);
    });
    stream.on('test:pass', ({ name, file = '', skip }) => {
      if (skip === undefined || skip === false) return;
      const reason = typeof skip === 'string' ? skip : '';
      skipped.push({ name, file: relative(process.cwd(), file), reason });
    });
    stream.on('test:summary', ({ counts, file }) => {
      // A summary without a file is that of the whole run.
      if (file !== undefined) return;
      const left = watch.close();
      const failed = counts.tests - counts.passed - counts.skipped - counts.todo + left;
      resolve({ passed: counts.passed, failed, skipped });
    });
    stream.on('error', reject);
    stream.compose(spec).pipe(process.stdout);
  });
}
