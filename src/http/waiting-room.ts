// Answers while the service starts: the process lives, it is not ready, and every other request
// waits until the service can answer it.
//
// It loads nothing large, so that it can be there before the service is loaded.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../errors/app-error.ts';
import { buildProblem } from './build-problem.ts';
import { COMMON_HEADERS } from './common-headers.ts';
import { findHeadFault } from './find-head-fault.ts';

interface WaitingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** More requests than these, and those that wait for longer, are told to come back. */
const LIMITS = { requestsMax: 1000, perConnectionMax: 8, waitMaxMs: 5000 };
const RETRY_AFTER_SECONDS = '2';

const STARTING = 'The server is starting.';

const HEALTH_PATH = '/v1/health';
const READY_PATH = '/v1/ready';
const STREAM_TYPE = 'text/event-stream';

function answer(
  { request, response }: WaitingRequest,
  of: {
    readonly status: number;
    readonly type: string;
    readonly body: object;
    readonly id: string;
    /** Whether the connection ends with it. */
    readonly isLast?: boolean;
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
  if (of.status === 503) headers['retry-after'] = RETRY_AFTER_SECONDS;
  if (of.isLast) headers.connection = 'close';
  response.writeHead(of.status, headers);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** A browser's EventSource comes back after the end of a stream, but never after an error. */
function endStream({ response }: WaitingRequest, reason: string): void {
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'cache-control': 'no-store',
    'content-type': `${STREAM_TYPE}; charset=utf-8`,
    'x-request-id': randomUUID(),
    // Any page may read streams.
    'access-control-allow-origin': '*',
    connection: 'close',
  });
  response.end(`retry: ${1000 * Number(RETRY_AFTER_SECONDS)}\n: ${reason}\n\n`);
}

export class WaitingRoom {
  readonly #server: Server;
  readonly #limits: typeof LIMITS;
  /** With the timer that ends the wait. */
  readonly #waiting = new Map<WaitingRequest, NodeJS.Timeout>();
  #reason = STARTING;
  readonly #countBySocket = new WeakMap<Socket, number>();
  readonly #listener = (request: IncomingMessage, response: ServerResponse) =>
    this.#receive({ request, response });
  /** Node's own answer could be taken for that of a request that waits. */
  readonly #onClientError = (_error: Error, socket: Duplex) => socket.destroy();

  /** Takes the server's requests from now on. */
  constructor(server: Server, limits: Partial<typeof LIMITS> = {}) {
    this.#server = server;
    this.#limits = { ...LIMITS, ...limits };
    server.on('request', this.#listener);
    server.on('checkExpectation', this.#listener);
    server.on('clientError', this.#onClientError);
  }

  /** What those that are turned away are told from now on. */
  explain(reason: string | null): void {
    this.#reason = reason ?? STARTING;
  }

  /** The server has a listener of its own: it gets what waits, and everything from now on. */
  close(): void {
    this.#server.off('request', this.#listener);
    this.#server.off('checkExpectation', this.#listener);
    this.#server.off('clientError', this.#onClientError);
    for (const [{ request, response }, timer] of this.#waiting) {
      clearTimeout(timer);
      this.#server.emit('request', request, response);
    }
    this.#waiting.clear();
  }

  /** Tells all that wait to come back, on another connection. */
  refuse(): void {
    for (const [one, timer] of this.#waiting) {
      clearTimeout(timer);
      this.#turnAway(one, true);
    }
    this.#waiting.clear();
  }

  #receive(one: WaitingRequest): void {
    const { method, url, headers } = one.request;
    const isRead = method === 'GET' || method === 'HEAD';
    const reason = findHeadFault(one.request);
    if (reason !== null) {
      // What follows on the connection may not be a request as its sender means it.
      this.#sendProblem(one, new AppError('MALFORMED_REQUEST', { reason }), true);
    } else if (headers.upgrade !== undefined) this.#turnAway(one, true);
    else if (isRead && url === HEALTH_PATH) {
      const type = 'application/json';
      answer(one, { status: 200, type, body: { status: 'ok' }, id: randomUUID() });
    } else if ((isRead && url === READY_PATH) || !this.#hasRoom(one)) this.#turnAway(one, false);
    else this.#keep(one);
  }

  /** One client must not take all the room by sending many requests at once. */
  #hasRoom({ request }: WaitingRequest): boolean {
    const { requestsMax, perConnectionMax } = this.#limits;
    const count = this.#countBySocket.get(request.socket) ?? 0;
    return this.#waiting.size < requestsMax && count < perConnectionMax;
  }

  #keep(one: WaitingRequest): void {
    const { socket } = one.request;
    const count = (change: number) =>
      this.#countBySocket.set(socket, (this.#countBySocket.get(socket) ?? 0) + change);
    const end = () => {
      if (this.#waiting.delete(one)) this.#turnAway(one, false);
    };
    const timer = setTimeout(end, this.#limits.waitMaxMs);
    timer.unref();
    this.#waiting.set(one, timer);
    count(1);
    one.response.on('close', () => {
      clearTimeout(timer);
      this.#waiting.delete(one);
      count(-1);
    });
  }

  #turnAway(one: WaitingRequest, isLast: boolean): void {
    if (one.request.headers.accept?.includes(STREAM_TYPE)) {
      endStream(one, this.#reason);
      return;
    }
    const error = new AppError('NOT_READY', { reason: this.#reason });
    this.#sendProblem(one, error, isLast);
  }

  #sendProblem(one: WaitingRequest, error: AppError, isLast: boolean): void {
    const id = randomUUID();
    const type = 'application/problem+json';
    answer(one, { status: error.status, type, body: buildProblem(error, id), id, isLast });
  }
}
