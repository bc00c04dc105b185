// Answers while the service starts: the process lives, and is not ready.
//
// It loads nothing large, so that it can be there before the service is loaded.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../errors/app-error.ts';
import { buildProblem, COMMON_HEADERS } from './problem.ts';
import { findHeadFault } from './request-context.ts';

const RETRY_AFTER_SECONDS = 2;
const STARTING = 'The server is starting.';
const HEALTH_PATH = '/v1/health';
const STREAM_TYPE = 'text/event-stream';

function send(
  response: ServerResponse,
  of: { readonly status: number; readonly type: string; readonly body: string; id?: string },
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(of.status, {
    ...COMMON_HEADERS,
    'cache-control': 'no-store',
    'content-type': `${of.type}; charset=utf-8`,
    'x-request-id': of.id ?? randomUUID(),
    'content-length': Buffer.byteLength(of.body),
    ...more,
  });
  response.end(response.req.method === 'HEAD' ? undefined : of.body);
}

function sendProblem(
  response: ServerResponse,
  error: AppError,
  more: Readonly<Record<string, string>>,
): void {
  const id = randomUUID();
  const body = JSON.stringify(buildProblem(error, id));
  send(response, { status: error.status, type: 'application/problem+json', body, id }, more);
}

interface EarlyAnswers {
  /** Why it takes long; null if it just starts. */
  explain(reason: string | null): void;
  /** The server has listeners of its own: they get everything from now on. */
  close(): void;
}

/** Takes the server's requests until it is closed. */
export function answerEarly(server: Server): EarlyAnswers {
  let explained = STARTING;

  function turnAway({ headers }: IncomingMessage, response: ServerResponse): void {
    if (headers.accept?.includes(STREAM_TYPE)) {
      // A browser's EventSource comes back after the end of a stream, but never after an error.
      const body = `retry: ${1000 * RETRY_AFTER_SECONDS}\n: ${explained}\n\n`;
      send(response, { status: 200, type: STREAM_TYPE, body }, { connection: 'close' });
      return;
    }
    const retry = { 'retry-after': String(RETRY_AFTER_SECONDS) };
    const isLast = headers.upgrade !== undefined;
    const error = new AppError('NOT_READY', { reason: explained });
    sendProblem(response, error, isLast ? { ...retry, connection: 'close' } : retry);
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const reason = findHeadFault(request);
    if (reason !== null) {
      // What follows on the connection may not be a request as its sender means it.
      const error = new AppError('MALFORMED_REQUEST', { reason });
      sendProblem(response, error, { connection: 'close' });
    } else if (isRead && url === HEALTH_PATH && headers.upgrade === undefined) {
      const body = JSON.stringify({ status: 'ok' });
      send(response, { status: 200, type: 'application/json', body });
    } else turnAway(request, response);
  }

  const onClientError = (_error: Error, socket: Duplex) => socket.destroy();
  server.on('request', answer).on('checkExpectation', answer).on('clientError', onClientError);
  return {
    explain: (reason) => {
      explained = reason ?? STARTING;
    },
    close: () => {
      server.off('request', answer).off('checkExpectation', answer);
      server.off('clientError', onClientError);
    },
  };
}
