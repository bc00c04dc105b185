// Answers requests that Node's HTTP parser refused: there is no request object, only a socket.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AppError } from '../errors/app-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { toParserAppError, toProblem } from './problem.ts';
import { COMMON_HEADERS } from './response-headers.ts';

export interface ParserErrorOptions {
  readonly createRequestId: () => string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface BusySocket extends Socket {
  /** Node keeps the answer that a socket is busy with in this field, and documents this use. */
  _httpMessage?: { readonly headersSent: boolean } | null;
}

/** Whether an answer has begun, or the client hung up in the middle of its request. */
function isAnswering(socket: BusySocket, error: { readonly code?: string }): boolean {
  const message = socket._httpMessage;
  return message != null && (message.headersSent || error.code === 'HPE_INVALID_EOF_STATE');
}

export type AnswerRaw = (socket: Socket, error: AppError) => void;

/** Writes a problem to a socket that has no response object, and ends it. */
export function createRawAnswer(options: ParserErrorOptions): AnswerRaw {
  const meter = options.metrics.forOperation('unparsed');
  return (socket, error) => {
    const requestId = options.createRequestId();
    const body = JSON.stringify(toProblem(error, requestId));
    const headers: Record<string, string> = {
      ...COMMON_HEADERS,
      ...error.headers,
      'x-request-id': requestId,
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      connection: 'close',
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`;
    socket.end(`${[status, ...head].join('\r\n')}\r\n\r\n${body}`);
    meter.observe(error.status, 0);
    options.logger.request({
      requestId,
      operation: 'unparsed',
      status: error.status,
      ms: 0,
      identity: 'none',
    });
  };
}

export function createParserErrorHandler(answerRaw: AnswerRaw) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    // A connection that is gone, or that fails while a request is in work, gets nothing more here:
    // the request's own end is told where it is being worked on.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket, error)) {
      socket.destroy();
      return;
    }
    answerRaw(socket, toParserAppError(error));
  };
}
