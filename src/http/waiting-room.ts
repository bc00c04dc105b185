// Answers while the service starts: the process lives, it is not ready, and every other request
// waits until the service can answer it.
//
// It loads nothing large, so that it can be there before the service is loaded.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { AppError } from '../errors/app-error.ts';
import { buildProblem } from './build-problem.ts';
import { COMMON_HEADERS } from './common-headers.ts';

interface WaitingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** More requests than these, and those that wait for longer, are told to come back. */
const LIMITS = { requestsMax: 1000, waitMaxMs: 5000 };
const RETRY_AFTER_SECONDS = '2';

const HEALTH_PATH = '/v1/health';
const READY_PATH = '/v1/ready';

function answer(
  { request, response }: WaitingRequest,
  of: {
    readonly status: number;
    readonly type: string;
    readonly body: object;
    readonly id: string;
  },
): void {
  const bytes = Buffer.from(JSON.stringify(of.body));
  const headers: OutgoingHttpHeaders = {
    ...COMMON_HEADERS,
    'cache-control': 'no-store',
    'content-type': `${of.type}; charset=utf-8`,
    'content-length': bytes.length,
    'x-request-id': of.id,
  };
  if (of.status === 503) headers['retry-after'] = String(RETRY_AFTER_SECONDS);
  response.writeHead(of.status, headers);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

export class WaitingRoom {
  readonly #server: Server;
  readonly #limits: typeof LIMITS;
  /** With the timer that ends the wait. */
  readonly #waiting = new Map<WaitingRequest, NodeJS.Timeout>();
  readonly #listener = (request: IncomingMessage, response: ServerResponse) =>
    this.#receive({ request, response });

  /** Takes the server's requests from now on. */
  constructor(server: Server, limits = LIMITS) {
    this.#server = server;
    this.#limits = limits;
    server.on('request', this.#listener);
  }

  /** The server has a listener of its own: it gets what waits, and everything from now on. */
  close(): void {
    this.#server.off('request', this.#listener);
    for (const [{ request, response }, timer] of this.#waiting) {
      clearTimeout(timer);
      this.#server.emit('request', request, response);
    }
    this.#waiting.clear();
  }

  #receive(one: WaitingRequest): void {
    const { method, url } = one.request;
    const { requestsMax, waitMaxMs } = this.#limits;
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && url === HEALTH_PATH) {
      const type = 'application/json';
      answer(one, { status: 200, type, body: { status: 'ok' }, id: randomUUID() });
    } else if ((isRead && url === READY_PATH) || this.#waiting.size >= requestsMax) {
      this.#turnAway(one);
    } else {
      const end = () => {
        if (this.#waiting.delete(one)) this.#turnAway(one);
      };
      const timer = setTimeout(end, waitMaxMs);
      timer.unref();
      this.#waiting.set(one, timer);
      one.response.on('close', () => {
        clearTimeout(timer);
        this.#waiting.delete(one);
      });
    }
  }

  #turnAway(one: WaitingRequest): void {
    const id = randomUUID();
    const error = new AppError('NOT_READY', { reason: 'The server is starting.' });
    const type = 'application/problem+json';
    answer(one, { status: error.status, type, body: buildProblem(error, id), id });
  }
}
