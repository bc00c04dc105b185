// Classifies errors of SQLite and of the files below it.

import type { StoreFault } from '../store-error.ts';

/** By SQLite's primary result codes: https://www.sqlite.org/rescode.html */
const FAULT_BY_CODE: ReadonlyMap<number, StoreFault> = new Map([
  [3, 'readOnly'], // SQLITE_PERM
  [5, 'busy'], // SQLITE_BUSY
  [6, 'busy'], // SQLITE_LOCKED
  [7, 'io'], // SQLITE_NOMEM
  [8, 'readOnly'], // SQLITE_READONLY
  [10, 'io'], // SQLITE_IOERR
  [11, 'damaged'], // SQLITE_CORRUPT
  [13, 'full'], // SQLITE_FULL
  [14, 'files'], // SQLITE_CANTOPEN: mostly the limit of open files
  [15, 'busy'], // SQLITE_PROTOCOL: the log's locks could not be had
  [17, 'busy'], // SQLITE_SCHEMA: another process migrates
  [26, 'damaged'], // SQLITE_NOTADB
]);

/** Extended codes that differ in meaning from their primary code. */
const FAULT_BY_EXTENDED_CODE: ReadonlyMap<number, StoreFault> = new Map([
  [522, 'damaged'], // SQLITE_IOERR_SHORT_READ: the file ends too early
  [1032, 'gone'], // SQLITE_READONLY_DBMOVED
  [8202, 'damaged'], // SQLITE_IOERR_DATA: a checksum does not fit
  [8458, 'damaged'], // SQLITE_IOERR_CORRUPTFS
]);

const FAULT_BY_ERRNO: Readonly<Record<string, StoreFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'readOnly',
  EACCES: 'readOnly',
  EPERM: 'readOnly',
  ENOENT: 'gone',
  EIO: 'io',
  EMFILE: 'files',
  ENFILE: 'files',
  ENOMEM: 'io',
};

const PRIMARY_CODE_MASK = 0xff;

export function findSqliteFault(error: unknown): StoreFault {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') {
    return (
      FAULT_BY_EXTENDED_CODE.get(errcode) ??
      FAULT_BY_CODE.get(errcode & PRIMARY_CODE_MASK) ??
      'rejected'
    );
  }
  return (typeof code === 'string' ? FAULT_BY_ERRNO[code] : undefined) ?? 'rejected';
}

/** Whether the statement failed only because another connection is writing. */
export function isBusyError(error: unknown): boolean {
  return findSqliteFault(error) === 'busy';
}
