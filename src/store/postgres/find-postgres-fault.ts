// Classifies errors of PostgreSQL and of the connection to it.

import type { StoreFault } from '../store-error.ts';

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const FAULT_BY_CODE: Readonly<Record<string, StoreFault>> = {
  '25006': 'readOnly', // read_only_sql_transaction: a standby, or set so
  '25P03': 'unreachable', // idle_in_transaction_session_timeout: we were suspended, say
  '3D000': 'unreachable', // invalid_catalog_name: the database is not there
  '40001': 'busy', // serialization_failure
  '40P01': 'busy', // deadlock_detected
  '53100': 'full', // disk_full
  '53300': 'unreachable', // too_many_connections
  '55P03': 'busy', // lock_not_available
  '57014': 'busy', // query_canceled: it took longer than a statement may
  '57P01': 'unreachable', // admin_shutdown
  '57P02': 'unreachable', // crash_shutdown
  '57P03': 'unreachable', // cannot_connect_now
  '57P04': 'unreachable', // database_dropped
  '57P05': 'unreachable', // idle_session_timeout
  '58030': 'io', // io_error
  '58P01': 'damaged', // undefined_file: a table's file is missing
  XX001: 'damaged', // data_corrupted
  XX002: 'damaged', // index_corrupted
};

/** If every code of a class means the same. */
const FAULT_BY_CLASS: Readonly<Record<string, StoreFault>> = {
  '08': 'unreachable', // connection exceptions
  '28': 'unreachable', // the password or the account is not accepted
  '53': 'io', // out of memory and other resources
  '58': 'io', // errors of the system below
};

const FAULT_BY_ERRNO: Readonly<Record<string, StoreFault>> = Object.fromEntries(
  [
    'EAI_AGAIN',
    'ECONNABORTED',
    'ECONNREFUSED',
    'ECONNRESET',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOENT',
    'ENOTFOUND',
    'EPIPE',
    'ETIMEDOUT',
  ].map((code) => [code, 'unreachable']),
);

/** Errors for which the driver has no code. */
const GONE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|connection error|not queryable|Query read timeout/i;

const SQLSTATE_LENGTH = 5;
const CLASS_LENGTH = 2;

export function findPostgresFault(error: unknown): StoreFault {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    const known = FAULT_BY_CODE[code] ?? FAULT_BY_ERRNO[code];
    if (known !== undefined) return known;
    const ofClass = FAULT_BY_CLASS[code.slice(0, CLASS_LENGTH)];
    if (code.length === SQLSTATE_LENGTH && ofClass !== undefined) return ofClass;
  }
  return typeof message === 'string' && GONE_MESSAGES.test(message) ? 'unreachable' : 'rejected';
}
