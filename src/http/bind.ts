// One operation → one route: admission, input, handler, answer.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HandlerContext, Identity } from '../contract/handler.ts';
import { COSTS, type Operation } from '../contract/operation.ts';
import { createInputParser } from '../contract/parse-input.ts';
import { isReadyAnswer, type ReadyAnswer } from '../contract/ready-answer.ts';
import { toInvalidInput } from '../errors/app-error.ts';
import type { Metrics, RequestMeter } from '../telemetry/metrics.ts';
import type { ReadAddressGroup } from './client-address.ts';
import type { Gate } from './gate.ts';
import { parseQueryString } from './query-string.ts';

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null;
  }
  interface FastifyContextConfig {
    /** Names the route in the log. */
    readonly operation?: string;
    readonly meter?: RequestMeter;
  }
}

/** Any operation's handler, as the transport calls it. */
export type AnyHandler = (input: unknown, context: HandlerContext) => unknown;

export interface BindOptions {
  readonly gate: Gate;
  readonly metrics: Metrics;
  readonly readAddressGroup: ReadAddressGroup;
}

/** For requests that are not metered, and so ask for no identity. */
const UNMETERED: Identity = { kind: 'anonymous', key: 'unmetered' };

function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((one) => one.trim() === etag);
}

function sendReady(request: FastifyRequest, reply: FastifyReply, answer: ReadyAnswer): void {
  reply.header('etag', answer.etag);
  if (answer.headers) reply.headers(answer.headers);
  if (isFresh(request.headers['if-none-match'], answer.etag)) reply.code(304).send();
  else reply.send(answer.bytes);
}

/** A handler's input: the query text of a GET or DELETE, the JSON body of a POST. */
function createInputReader(operation: Operation): (request: FastifyRequest) => unknown {
  if (operation.method !== 'POST') {
    const parse = createInputParser(operation.input, 'text');
    const empty = Object.keys(operation.input.properties).length === 0;
    return (request) => {
      const question = request.raw.url?.indexOf('?') ?? -1;
      if (question < 0 && empty) return {};
      return parse(
        parseQueryString(question < 0 ? '' : (request.raw.url ?? '').slice(question + 1)),
      );
    };
  }
  const parse = createInputParser(operation.input, 'json');
  return (request) => {
    if ((request.raw.url ?? '').includes('?')) {
      throw toInvalidInput([{ path: 'query', message: 'must be empty; send a JSON body' }]);
    }
    const body = request.body;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw toInvalidInput([{ path: 'body', message: 'must be a JSON object' }]);
    }
    return parse(body as Record<string, unknown>);
  };
}

/** The hook that lets a request pass and marks its answer with what is left of the budget. */
function createAdmission(operation: Operation, options: BindOptions) {
  const cost = COSTS[operation.cost];
  return (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    if (cost > 0) {
      const admission = options.gate.admit(
        {
          authorization: request.headers.authorization,
          addressGroup: options.readAddressGroup(request.raw),
        },
        cost,
      );
      request.identity = admission.identity;
      reply.header('ratelimit', admission.rateLimit);
      reply.header('ratelimit-policy', admission.rateLimitPolicy);
    }
    done();
  };
}

export function bindOperation(
  app: FastifyInstance,
  operation: Operation,
  handler: AnyHandler,
  options: BindOptions,
): void {
  const readInput = createInputReader(operation);
  const isJson = operation.mediaType === 'application/json';
  const contentType = `${operation.mediaType}; charset=utf-8`;
  function send(request: FastifyRequest, reply: FastifyReply, answer: unknown): void {
    reply.code(operation.status);
    reply.header('content-type', contentType);
    reply.header('cache-control', operation.cacheControl);
    if (isReadyAnswer(answer)) sendReady(request, reply, answer);
    else reply.send(answer);
  }
  app.route({
    method: operation.method,
    url: `/v1${operation.path}`,
    config: { operation: operation.id, meter: options.metrics.forOperation(operation.id) },
    onRequest: createAdmission(operation, options),
    // Declared fields leave, others do not.
    ...(isJson ? { schema: { response: { [operation.status]: operation.output } } } : {}),
    handler: (request, reply) => {
      const answer = handler(readInput(request), {
        identity: request.identity ?? UNMETERED,
        requestId: request.id,
      });
      if (answer instanceof Promise) return answer.then((value) => send(request, reply, value));
      send(request, reply, answer);
    },
  });
}
