// The HTTP server, built from the list of operations; the caller makes it listen.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors/app-error.ts';
import { toAppError } from '../errors/to-app-error.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import type { Clock } from '../lib/clock.ts';
import { HeldSlots } from '../lib/held-slots.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics, RequestMeter } from '../telemetry/metrics.ts';
import { createAddressReader } from './client-address.ts';
import {
  closeAfter,
  createBareServer,
  HEADER_BYTES_MAX,
  isAfterLast,
  type Timeouts,
} from './create-bare-server.ts';
import {
  type CountAnswer,
  createTargetReader,
  Exchange,
  type ObserveExchange,
} from './exchange.ts';
import { Gate, type GateOptions } from './gate.ts';
import { Pressure } from './pressure.ts';
import { encodeRawProblem, toParserAppError, URL_BYTES_MAX } from './problem.ts';
import { findHeadFault } from './request-context.ts';
import { createRouter, type RouterOptions } from './router.ts';
import { type ReadSendQueues, readSendQueues, SendQueueWatch } from './send-queue-watch.ts';
import { createSessionCookie } from './session-cookie.ts';

// Responds to requests that Node's HTTP parser rejected: there is no request object, only a socket.

interface ParserErrorOptions {
  readonly createRequestId: () => string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What Node attaches to the sockets of a server; `_httpMessage` is documented for this use. */
interface ServerSocket extends Socket {
  /** The current response; those of pipelined requests follow in order. */
  _httpMessage?: ServerResponse | null;
  /** `incoming` is the last request whose head was parsed. */
  parser?: { readonly incoming: IncomingMessage | null } | null;
}

/** How long a client may take to read its last answer before the connection is destroyed. */
const LINGER_MS = 2000;

function endSoon(socket: Socket, text = ''): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Responds to unparsable bytes in turn: earlier requests on the connection are answered first, in
 * order, so that no response is mistaken for another's.
 */
function answerInTurn(socket: ServerSocket, answer: () => void): void {
  if (!socket.writable) return;
  const response = socket._httpMessage;
  if (response == null) {
    const incoming = socket.parser?.incoming;
    // The broken bytes are the rest of a body whose request was answered early with an error.
    if (incoming != null && !incoming.complete) endSoon(socket);
    else answer();
    return;
  }
  // Only streams send their head long before their end, and they never end.
  if (response.headersSent && !response.writableEnded) socket.destroy();
  // The broken bytes are the body of this request.
  else if (!response.headersSent && !response.req.complete) answer();
  else response.once('close', () => answerInTurn(socket, answer));
}

/** A response to HEAD has no body. */
type AnswerRaw = (socket: Socket, error: AppError, isHead?: boolean) => void;

function createProblemWriter(options: ParserErrorOptions): AnswerRaw {
  const meter = options.metrics.forOperation('unparsed');
  return (socket, error, isHead = false) => {
    const requestId = options.createRequestId();
    endSoon(socket, encodeRawProblem(error, requestId, isHead));
    meter.observe(error.status, 0);
    options.logger.request({
      requestId,
      method: '',
      path: '',
      operation: 'unparsed',
      status: error.status,
      ms: 0,
      identity: 'none',
    });
  };
}

/**
 * Writes a problem to a socket without a response object, after the pending responses, and closes
 * the connection.
 */
function createRawAnswer(options: ParserErrorOptions): AnswerRaw {
  const write = createProblemWriter(options);
  return (socket, error, isHead) => answerInTurn(socket, () => write(socket, error, isHead));
}

/** The parser's error. */
interface ParserError extends Error {
  readonly code?: string;
  /** The last bytes received, and how many of them were parsed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const BLANK_LINE = '\r\n\r\n';

/**
 * Whether the rejected request was a HEAD, as far as can be seen: its first line must be in the
 * same packet as the broken bytes, and a request before it must have had no body.
 */
function isHeadRequest({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (rawPacket === undefined) return false;
  const from = Math.max(0, bytesParsed - HEADER_BYTES_MAX);
  const text = rawPacket.toString('latin1', from, bytesParsed);
  const blank = text.lastIndexOf(BLANK_LINE);
  if (blank < 0) return from === 0 && text.startsWith('HEAD ');
  return text.startsWith('HEAD ', blank + BLANK_LINE.length);
}

function createParserErrorHandler(answerRaw: AnswerRaw) {
  const broken = new WeakSet<Socket>();
  return (error: ParserError, socket: ServerSocket): void => {
    // Anything after broken bytes is broken too, and was answered with them.
    if (broken.has(socket)) return;
    broken.add(socket);
    // Nobody is left to read a response. Work in progress ends by itself.
    const isGone = error.code === 'HPE_INVALID_EOF_STATE' && socket._httpMessage != null;
    if (error.code === 'ECONNRESET' || !socket.writable || isGone) socket.destroy();
    else answerRaw(socket, toParserAppError(error), isHeadRequest(error));
  };
}

export interface HttpServerOptions
  extends Pick<
    RouterOptions,
    'operations' | 'handlers' | 'isAllowedOrigin' | 'findFile' | 'compat'
  > {
  readonly limits: Pick<
    GateOptions,
    'ipBudget' | 'budgets' | 'tierBudgets' | 'identitiesMax' | 'createLimiter'
  >;
  readonly access: Pick<GateOptions, 'identify' | 'countUse'> & {
    /** Called when the answer to an identified caller is sent, or refused by its budget. */
    readonly countAnswer?: CountAnswer;
  };
  /** Whether browsers reach the server over https. */
  readonly isSecure: boolean;
  readonly trustedProxies: readonly string[];
  readonly overload: { readonly requestsMax: number; readonly lagMaxMs: number };
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly createRequestId: () => string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly isDraining: () => boolean;
  /** Tests may replace the system's own. */
  readonly readSendQueues?: ReadSendQueues;
}

/**
 * A field with a name: by a symbol, V8 makes a dictionary of an object with as many fields as a
 * response has, and each later access to it costs more.
 */
interface ObservedResponse extends ServerResponse {
  mintwireExchange?: Exchange;
}

/** Browsers that came over https do not come without it for a year. */
const HSTS = 'max-age=31536000';

/**
 * Never rejected for overload: the check of a supervisor, and the console's files, which are bytes
 * in memory. A page without one of its scripts stays blank and cannot say what is wrong.
 */
const NEVER_SHED = new Set(['getHealth', 'file']);

function createMeters(metrics: Metrics): (operation: string) => RequestMeter {
  const meters = new Map<string, RequestMeter>();
  return (operation) => {
    let meter = meters.get(operation);
    if (!meter) {
      meter = metrics.forOperation(operation);
      meters.set(operation, meter);
    }
    return meter;
  };
}

function createObserver(options: HttpServerOptions): ObserveExchange {
  const meterOf = createMeters(options.metrics);
  const { countAnswer } = options.access;
  return (exchange, begun) => {
    exchange.endWork();
    if (exchange.isObserved) return;
    exchange.isObserved = true;
    const ms = options.clock.monotonicMs() - exchange.startedMs;
    const { response, operation, identity } = exchange;
    // 499, as in nginx: the client disconnected before the response was sent.
    const status = begun ?? (response.writableFinished ? response.statusCode : 499);
    meterOf(operation).observe(status, ms / 1000);
    if (identity !== null && !exchange.isCounted) {
      countAnswer?.(identity, { operation, cost: exchange.cost, status });
    }
    options.logger.request({
      requestId: exchange.id,
      method: exchange.request.method ?? '',
      path: exchange.path,
      operation,
      status,
      ms,
      identity: identity?.kind ?? 'none',
    });
  };
}

function createFailer(options: HttpServerOptions) {
  return (exchange: Exchange, error: unknown): void => {
    const appError = toAppError(error);
    const { cause } = appError;
    if (appError.status >= 500 && cause !== undefined && !isLoggedOutage(cause)) {
      options.logger.error({ err: cause, requestId: exchange.id }, 'request failed');
    }
    try {
      exchange.sendError(appError);
    } catch (mismatch) {
      options.logger.error(
        { err: mismatch, requestId: exchange.id },
        'an error response could not be sent',
      );
      exchange.sendError(toAppError(mismatch));
    }
  };
}

/** So many bodies may be late as requests may be in work; a tenth of them from one address. */
function createBodySlots({ requestsMax }: HttpServerOptions['overload']): HeldSlots {
  return new HeldSlots({ totalMax: requestsMax, perHolderMax: Math.ceil(requestsMax / 10) });
}

function createListener(options: HttpServerOptions, pressure: Pressure) {
  const { clock, metrics } = options;
  const gate = new Gate({ ...options.limits, ...options.access, clock, metrics });
  const findRoute = createRouter({
    ...options,
    gate,
    readAddressGroup: createAddressReader(options.trustedProxies),
    cookie: createSessionCookie(options.isSecure),
    nowMs: () => clock.nowMs(),
    timeoutMs: options.timeouts.requestMs,
    sendQueues: new SendQueueWatch({ readSendQueues, ...options }),
  });
  const readTarget = createTargetReader();
  const { countAnswer = null } = options.access;
  const observe = createObserver(options);
  const bodies = createBodySlots(options.overload);
  const { bodyMs } = options.timeouts;
  const tools = { countAnswer, observe, pressure, bodies, bodyMs };
  const fail = createFailer(options);
  // Shared by all requests: a closure for each request would cost more than the work it does.
  const failLater = (exchange: Exchange, pending: Promise<void>) => {
    pending.catch((error: unknown) => fail(exchange, error));
  };
  function observeClosed(this: ObservedResponse): void {
    const exchange = this.mintwireExchange;
    if (exchange !== undefined) observe(exchange);
  }
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (isAfterLast(response)) return;
    const startedMs = clock.monotonicMs();
    const target = readTarget(request.url ?? '');
    const id = options.createRequestId();
    const exchange = new Exchange({ request, response, target, id, startedMs }, tools);
    // A POST is work once its body has arrived.
    if (request.method !== 'POST' && request.method !== 'PATCH') exchange.beginWork();
    if (options.isSecure) exchange.addHeader('strict-transport-security', HSTS);
    (response as ObservedResponse).mintwireExchange = exchange;
    response.on('close', observeClosed);
    try {
      // A client that asked for another protocol may already have sent some of it.
      if (options.isDraining() || request.headers.upgrade !== undefined) closeAfter(response);
      const reason = findHeadFault(request);
      if (reason !== null) {
        // What follows on the connection may not be a request as its sender means it.
        closeAfter(response);
        throw new AppError('MALFORMED_REQUEST', { reason });
      }
      if ((request.url ?? '').length > URL_BYTES_MAX) {
        throw new AppError('URI_TOO_LONG', { limitBytes: URL_BYTES_MAX });
      }
      const route = findRoute(request.method ?? '', exchange.path);
      exchange.operation = route.operation;
      route.restrict?.(exchange);
      if (pressure.isOverloaded(startedMs) && !NEVER_SHED.has(route.operation)) {
        throw new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
      }
      const pending = route.answer(exchange);
      if (pending !== undefined) failLater(exchange, pending);
    } catch (error) {
      fail(exchange, error);
    }
  };
}

/** Listens on a server that may be open already, or on one of its own. */
export function createHttpServer(
  options: HttpServerOptions,
  server = createBareServer(options.timeouts),
): Server {
  const { metrics } = options;
  const pressure = new Pressure({ ...options.overload, clock: options.clock });
  metrics.gauge(
    'mintwire_http_requests_in_flight',
    'Requests in work: without those whose body is late or whose answer is being sent.',
    () => pressure.inFlight,
  );
  metrics.gauge(
    'mintwire_event_loop_lag_seconds',
    'Event loop delay.',
    () => pressure.readLagMs() / 1000,
  );
  const listener = createListener(options, pressure);
  server.on('request', listener);
  const answerRaw = createRawAnswer(options);
  server.on('clientError', createParserErrorHandler(answerRaw));
  // Unknown expectations are ignored, as RFC 9110 allows, and CONNECT is not supported.
  server.on('checkExpectation', listener);
  server.on('connect', (_request, socket: Socket) => {
    // Node has removed its own listener, and an unhandled error would end the process.
    socket.on('error', () => socket.destroy());
    const allow = 'GET, HEAD, POST, DELETE, OPTIONS';
    answerRaw(socket, new AppError('METHOD_NOT_ALLOWED', { allow }, { headers: { Allow: allow } }));
  });
  server.on('close', () => pressure.stop());
  return server;
}
