// Tells a server that is gone from a statement that is wrong.

import { UnavailableError } from '../../errors/unavailable-error.ts';

const GONE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  // Connection failures, too many connections, shutting down, starting up.
  '08001',
  '08003',
  '08006',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** The driver has no code for these. */
const GONE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|connection error|not queryable/i;

export function toStoreError(error: unknown): unknown {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  const gone = GONE_CODES.has(code ?? '') || GONE_MESSAGES.test(message ?? '');
  return gone ? new UnavailableError('The store', error) : error;
}
