// The files of one SQLite database: their permissions, whether they are still there, and free
// space.

import { chmodSync, closeSync, openSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../store-error.ts';

const PRIVATE_MODE = 0o600;
const SUFFIXES = ['', '-wal', '-shm'] as const;
/** Below this free space the disk counts as full, although a small write may still succeed. */
const FREE_BYTES_MIN = 1024 ** 2;
/** After the disk was full, there must be room for some commits before it counts as free again. */
const FREE_AGAIN_BYTES_MIN = 16 * 1024 ** 2;
/** On a small volume this share is enough. */
const FREE_AGAIN_SHARE = 0.05;

function ignoring(codes: readonly string[], run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * Makes the files readable by their owner only, regardless of the umask and the folder. The file is
 * created first if missing: SQLite gives the two beside it the same mode.
 */
export function makeFilesPrivate(file: string): void {
  closeSync(openSync(file, 'a', PRIVATE_MODE));
  for (const suffix of SUFFIXES) {
    // Only the owner may change the mode; other users keep it as it is.
    ignoring(['ENOENT', 'EPERM'], () => chmodSync(`${file}${suffix}`, PRIVATE_MODE));
  }
}

function readIdentity(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * SQLite continues on files that were deleted or replaced, and everything written is lost in the
 * end: so we check ourselves.
 */
export class SqliteFiles {
  readonly #file: string;
  /** The files at the time of opening; the WAL exists while the database is open. */
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

  /** Throws if the disk has no room; requires more room after it was full. */
  assertRoom(wasFull: boolean): void {
    const { bsize, blocks, bfree, bavail } = statfsSync(dirname(this.#file));
    // Some file systems do not report it.
    if (blocks === 0) return;
    const freeBytes = bsize * (process.getuid?.() === 0 ? bfree : bavail);
    const againMin = Math.min(FREE_AGAIN_BYTES_MIN, bsize * blocks * FREE_AGAIN_SHARE);
    const min = Math.max(wasFull ? againMin : 0, Math.min(FREE_BYTES_MIN, againMin));
    if (freeBytes >= min) return;
    throw new StoreError('full', new Error(`${freeBytes} bytes are free`));
  }
}
