// The files of one SQLite database: who may read them, whether they are still there, and how much
// room they have.

import { chmodSync, closeSync, openSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../store-error.ts';

const PRIVATE_MODE = 0o600;
const SUFFIXES = ['', '-wal', '-shm'] as const;
/** Below so much free space the disk counts as full, though a small write may still succeed. */
const FREE_BYTES_MIN = 1024 ** 2;
/** Once it was full there must be room for some commits before it counts as free again. */
const FREE_AGAIN_BYTES_MIN = 16 * 1024 ** 2;
/** Of a small volume this share is enough. */
const FREE_AGAIN_SHARE = 0.05;

function ignoring(codes: readonly string[], run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * Makes the files readable by their owner only, whatever the umask and the folder allow. The file
 * is created first where there is none: SQLite gives the two beside it the same mode.
 */
export function makeFilesPrivate(file: string): void {
  closeSync(openSync(file, 'a', PRIVATE_MODE));
  for (const suffix of SUFFIXES) {
    // Only the owner may change a mode; whoever else is let in has to live with what it is.
    ignoring(['ENOENT', 'EPERM'], () => chmodSync(`${file}${suffix}`, PRIVATE_MODE));
  }
}

function readIdentity(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * SQLite goes on with files that were deleted or replaced as if nothing had happened, and all that
 * is written is lost at the end: so we look ourselves.
 */
export class SqliteFiles {
  readonly #file: string;
  /** As they were when the database was opened; the log exists as long as it is open. */
  readonly #identities: readonly (readonly [path: string, identity: string | null])[];

  constructor(file: string) {
    this.#file = file;
    this.#identities = [file, `${file}-wal`].map((path) => [path, readIdentity(path)] as const);
  }

  /** Throws unless the files are those that were opened. */
  assertInPlace(): void {
    for (const [path, identity] of this.#identities) {
      if (readIdentity(path) !== identity) {
        throw new StoreError('gone', new Error(`${path} is not the file that was opened`));
      }
    }
  }

  /** Throws where the disk has no room; more room is asked for of one that was full. */
  assertRoom(wasFull: boolean): void {
    const { bsize, blocks, bfree, bavail } = statfsSync(dirname(this.#file));
    // Some file systems do not tell.
    if (blocks === 0) return;
    const freeBytes = bsize * (process.getuid?.() === 0 ? bfree : bavail);
    const againMin = Math.min(FREE_AGAIN_BYTES_MIN, bsize * blocks * FREE_AGAIN_SHARE);
    const min = Math.max(wasFull ? againMin : 0, Math.min(FREE_BYTES_MIN, againMin));
    if (freeBytes >= min) return;
    throw new StoreError('full', new Error(`${freeBytes} bytes are free`));
  }
}
