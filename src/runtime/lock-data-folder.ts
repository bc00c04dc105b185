// Ensures that one service uses a data folder. The kernel drops the lock with the process, however
// it ends, so a held lock means a living owner; a file beside it names the process.

import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../errors/start-error.ts';

const SQLITE_BUSY = 5;

function readOwner(file: string): string {
  try {
    return ` (process ${readFileSync(file, 'utf8').trim()})`;
  } catch {
    return '';
  }
}

/** Whatever the umask, and whatever a restored backup left. */
function makePrivate(file: string): void {
  writeFileSync(file, '', { flag: 'a', mode: 0o600 });
  if (process.getuid?.() === statSync(file).uid) chmodSync(file, 0o600);
}

/** The lock lasts until it is closed or the process ends. */
export function lockDataFolder(dataDir: string): DatabaseSync {
  if (statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new StartError(`DATA_DIR must be a folder, but ${dataDir} is a file.`);
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const ownerFile = join(dataDir, 'service.pid');
  const lockFile = join(dataDir, 'service.lock');
  for (const file of [lockFile, ownerFile]) makePrivate(file);
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new StartError(
      `Another service${readOwner(ownerFile)} uses ${dataDir}. ` +
        'Stop it, or set DATA_DIR to another folder.',
    );
  }
  writeFileSync(ownerFile, `${process.pid}\n`);
  // The reference keeps the lock from being collected, and thereby dropped.
  process.on('exit', () => lock.isOpen && lock.close());
  return lock;
}
