// A whole error response as text, for a socket without a request. It loads nothing large.

import { STATUS_CODES } from 'node:http';
import type { AppError } from '../errors/app-error.ts';
import { buildProblem } from './build-problem.ts';
import { COMMON_HEADERS } from './common-headers.ts';

/** A response to HEAD has no body. The connection ends with the response. */
export function encodeRawProblem(error: AppError, requestId: string, isHead = false): string {
  const body = JSON.stringify(buildProblem(error, requestId));
  const { retryAfterSeconds } = error;
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    ...error.headers,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    'x-request-id': requestId,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`;
  return `${[status, ...head].join('\r\n')}\r\n\r\n${isHead ? '' : body}`;
}
