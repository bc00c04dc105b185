// Answers requests that Node's HTTP parser refused: there is no request object, only a socket.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { toParserAppError, toProblem } from './problem.ts';
import { COMMON_HEADERS } from './response-headers.ts';

export interface ParserErrorOptions {
  readonly createRequestId: () => string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Node keeps the answer that a socket is busy with in this field, and documents this use of it. */
function isAnswering(socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

export function createParserErrorHandler(options: ParserErrorOptions) {
  const meter = options.metrics.forOperation('unparsed');
  return (error: Error & { code?: string }, socket: Socket): void => {
    // A connection that is gone, or that fails while an answer is on its way, gets nothing more.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const requestId = options.createRequestId();
    const appError = toParserAppError(error);
    const body = JSON.stringify(toProblem(appError, requestId));
    const headers: Record<string, string> = {
      ...COMMON_HEADERS,
      'x-request-id': requestId,
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      connection: 'close',
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const status = `HTTP/1.1 ${appError.status} ${STATUS_CODES[appError.status]}`;
    socket.end(`${[status, ...head].join('\r\n')}\r\n\r\n${body}`);
    meter.observe(appError.status, 0);
    options.logger.request({
      requestId,
      operation: 'unparsed',
      status: appError.status,
      ms: 0,
      identity: 'none',
    });
  };
}
