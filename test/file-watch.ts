// Watches the files of a run: which ones run, which one hangs, and what one has left behind.

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { listProcesses, type ProcessEntry } from '../devnet/list-processes.ts';
import { findTree, killTree } from './process-tree.ts';

const REPORT_MS = 120_000;
const LOOKS_MIN = 6;

/** The processes that run files: our children with their paths as arguments. */
function findRunners(files: readonly string[]): ProcessEntry[] {
  return findTree(process.pid).filter(
    ({ parentPid, command }) =>
      parentPid === process.pid && files.some((file) => command.includes(file)),
  );
}

/** Ends the processes of files, and all that they started. */
export async function endFiles(files: readonly string[]): Promise<void> {
  await Promise.all(findRunners(files).map(({ pid }) => killTree(pid)));
}

/**
 * Processes that a file started and that outlived it. They are no longer below its process: their
 * environment names the run and the file (`record-calls.ts`).
 */
function findLeftBehind(file: string): ProcessEntry[] {
  const marks = [
    `MINTWIRE_TEST_FILE=${relative(process.cwd(), file)}\0`,
    `MINTWIRE_TEST_RPC_NOTES=${process.env['MINTWIRE_TEST_RPC_NOTES'] ?? ''}\0`,
  ];
  return listProcesses().filter(({ pid, command }) => {
    if (command === '') return false;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
      return marks.every((mark) => environment.includes(mark));
    } catch {
      // It has ended, or this system does not tell.
      return false;
    }
  });
}

interface RunningFile {
  readonly startedMs: number;
  readonly timer: NodeJS.Timeout;
  /** How often its process was not found while its output was still open. */
  gone: number;
}

interface FileWatchOptions {
  /** How many files there are. */
  readonly total: number;
  readonly fileMs: number;
  readonly lookMs: number;
  readonly onError: (error: unknown) => void;
}

export class FileWatch {
  readonly #running = new Map<string, RunningFile>();
  #doneCount = 0;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #startedMs = performance.now();
  readonly #leftBehind = new Set<string>();

  readonly #options: FileWatchOptions;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => this.#look(), options.lookMs).unref(),
      setInterval(() => this.report(), REPORT_MS).unref(),
    ];
  }

  begin(file: string): void {
    if (this.#running.has(file)) return;
    const timer = setTimeout(() => {
      console.error(`NO END: ${file} was still running after ${this.#options.fileMs / 1000} s`);
      endFiles([file]).catch(this.#options.onError);
    }, this.#options.fileMs);
    this.#running.set(file, { startedMs: performance.now(), timer, gone: 0 });
  }

  end(file: string): void {
    const found = this.#running.get(file);
    if (found === undefined) return;
    clearTimeout(found.timer);
    this.#running.delete(file);
    this.#doneCount += 1;
  }

  /** Returns how many files left a process behind. */
  close(): number {
    for (const timer of this.#timers) clearInterval(timer);
    return this.#leftBehind.size;
  }

  /** To the log of a run that is ended from outside: how far it was, and what it waited for. */
  report(): void {
    const now = performance.now();
    const running = [...this.#running].map(
      ([file, { startedMs }]) =>
        `${relative(process.cwd(), file)} (${Math.round((now - startedMs) / 1000)} s)`,
    );
    const minutes = Math.round((now - this.#startedMs) / 60_000);
    const done = `${this.#doneCount} of ${this.#options.total} files`;
    console.error(`[${minutes} min: ${done}; running: ${running.join(', ')}]`);
  }

  /**
   * A process that a file left behind holds the file's output open, and the run would wait for its
   * end: it is ended here, and the file has failed.
   */
  #look(): void {
    for (const [file, state] of this.#running) {
      state.gone = findRunners([file]).length === 0 ? state.gone + 1 : 0;
      // Not at the first looks: what the file has started may be about to end.
      if (state.gone < LOOKS_MIN) continue;
      const left = findLeftBehind(file);
      if (left.length > 0) this.#leftBehind.add(file);
      for (const { pid, command } of left) {
        console.error(`LEFT BEHIND: ${relative(process.cwd(), file)} left ${command} running`);
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended in the meantime.
        }
      }
    }
  }
}
