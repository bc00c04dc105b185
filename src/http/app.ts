// The HTTP application, built from the operation list; listening is left to the caller.

import type { ServerResponse } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Operation } from '../contract/operation.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type AnyHandler, bindOperation } from './bind.ts';
import { createAddressReader } from './client-address.ts';
import { Gate, type GateOptions } from './gate.ts';
import { createParserErrorHandler } from './parser-error.ts';
import { Pressure } from './pressure.ts';
import {
  BODY_BYTES_MAX,
  HEADER_BYTES_MAX,
  toAppError,
  toProblem,
  URL_BYTES_MAX,
} from './problem.ts';
import { COMMON_HEADERS, toPreflightHeaders } from './response-headers.ts';

export interface AppOptions {
  readonly operations: readonly Operation[];
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly budgets: Pick<GateOptions, 'ipBudget' | 'anonymousBudget' | 'identitiesMax'>;
  readonly trustedProxies: readonly string[];
  readonly overload: { readonly requestsMax: number; readonly lagMaxMs: number };
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly createRequestId: () => string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly isDraining: () => boolean;
}

export interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  // Longer than the idle time of common proxies, so that they close first.
  keepAliveMs: 65_000,
};

function createServer(options: AppOptions): FastifyInstance {
  const { timeouts } = options;
  return fastify({
    // The framework's own lines say less than ours and cost more.
    logger: false,
    genReqId: options.createRequestId,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: timeouts.requestMs,
    handlerTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    forceCloseConnections: 'idle',
    // While draining, what still arrives is answered as usual and its connection closed.
    return503OnClosing: false,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: Math.min(1000, timeouts.headersMs),
    },
    // The query is read by the route, after the caller was admitted.
    routerOptions: { querystringParser: () => ({}) },
    frameworkErrors: createErrorHandler(options.logger),
    clientErrorHandler: createParserErrorHandler(options),
  });
}

/** A time-out while the body is still on its way is the client's, not ours. */
function toAnsweredError(error: unknown, request: FastifyRequest): AppError {
  const { code } = (error ?? {}) as { code?: string };
  if (code === 'FST_ERR_HANDLER_TIMEOUT' && !request.raw.complete) {
    return new AppError('REQUEST_TIMEOUT', {}, { headers: { Connection: 'close' } });
  }
  return toAppError(error);
}

function createErrorHandler(logger: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const appError = toAnsweredError(error, request);
    if (appError.status >= 500 && appError.cause !== undefined) {
      logger.error({ err: appError.cause, requestId: request.id }, 'request failed');
    }
    if (appError.headers) reply.headers(appError.headers);
    if (appError.retryAfterSeconds !== undefined) {
      reply.header('retry-after', String(appError.retryAfterSeconds));
    }
    reply
      .code(appError.status)
      .headers({ ...COMMON_HEADERS, 'x-request-id': request.id })
      .header('cache-control', 'no-store')
      .header('content-type', 'application/problem+json; charset=utf-8')
      .serializer((problem: unknown) => JSON.stringify(problem))
      .send(toProblem(appError, request.id));
  };
}

/** Counts, measures and logs each request from its first hook to the close of its answer. */
function observeRequests(app: FastifyInstance, options: AppOptions, pressure: Pressure): void {
  const unknownRoute = options.metrics.forOperation('unknown');
  app.decorateRequest('identity', null);
  app.addHook('onRequest', (request, reply, done) => {
    pressure.enter();
    const startedMs = options.clock.monotonicMs();
    reply.raw.on('close', function onClose(this: ServerResponse) {
      pressure.leave();
      const ms = options.clock.monotonicMs() - startedMs;
      const { operation = 'unknown', meter = unknownRoute } = request.routeOptions.config;
      // 499 as proxies have it: the client was gone before its answer was.
      const status = this.writableFinished ? this.statusCode : 499;
      meter.observe(status, ms / 1000);
      const identity = request.identity?.kind ?? 'none';
      options.logger.info(
        { requestId: request.id, operation, status, ms: Math.round(ms * 1000) / 1000, identity },
        'request',
      );
    });
    reply.headers(COMMON_HEADERS);
    reply.header('x-request-id', request.id);
    if (options.isDraining()) reply.header('connection', 'close');
    if ((request.raw.url ?? '').length > URL_BYTES_MAX) {
      throw new AppError('URI_TOO_LONG', { limitBytes: URL_BYTES_MAX });
    }
    const free = request.routeOptions.config.operation === 'getHealth';
    if (!free && pressure.isOverloaded()) {
      throw new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
    }
    done();
  });
}

function bindFallbacks(app: FastifyInstance, options: AppOptions, gate: Gate): void {
  const readAddressGroup = createAddressReader(options.trustedProxies);
  const methodsByPath = new Map<string, string[]>();
  for (const operation of options.operations) {
    const path = `/v1${operation.path}`;
    const methods = methodsByPath.get(path) ?? ['OPTIONS'];
    methods.push(...(operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]));
    methodsByPath.set(path, methods);
  }
  for (const [path, methods] of methodsByPath) {
    const headers = toPreflightHeaders(methods.sort());
    app.options(path, { config: { operation: 'preflight' } }, (request, reply) => {
      gate.charge(readAddressGroup(request.raw));
      reply.code(204).headers(headers).send();
    });
  }
  for (const path of ['/', '/docs', '/v1', '/v1/']) {
    app.get(path, { config: { operation: 'redirect' } }, (request, reply) => {
      gate.charge(readAddressGroup(request.raw));
      reply.redirect('/v1/docs', 302);
    });
  }
  app.setNotFoundHandler((request) => {
    gate.charge(readAddressGroup(request.raw));
    const path = (request.raw.url ?? '').split('?', 1)[0] ?? '';
    const allow = methodsByPath.get(path)?.join(', ');
    if (allow === undefined) throw new AppError('ROUTE_NOT_FOUND', {});
    throw new AppError('METHOD_NOT_ALLOWED', { allow }, { headers: { Allow: allow } });
  });
}

export function createApp(options: AppOptions): FastifyInstance {
  const app = createServer(options);
  const pressure = new Pressure({ ...options.overload, clock: options.clock });
  const gate = new Gate({ ...options.budgets, clock: options.clock, metrics: options.metrics });
  options.metrics.gauge(
    'mintwire_http_requests_in_flight',
    'Requests in work.',
    () => pressure.inFlight,
  );
  options.metrics.gauge(
    'mintwire_event_loop_lag_seconds',
    'How late the event loop is.',
    () => pressure.lagMs / 1000,
  );
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler(createErrorHandler(options.logger));
  // A schema is trusted: it is ours. Only answers have one; input is parsed by the contract.
  app.setValidatorCompiler(() => () => true);
  observeRequests(app, options, pressure);
  const readAddressGroup = createAddressReader(options.trustedProxies);
  for (const operation of options.operations) {
    const handler = options.handlers[operation.id];
    if (!handler) throw new Error(`operation ${operation.id} has no handler`);
    bindOperation(app, operation, handler, { gate, metrics: options.metrics, readAddressGroup });
  }
  bindFallbacks(app, options, gate);
  app.addHook('onClose', async () => pressure.stop());
  return app;
}
