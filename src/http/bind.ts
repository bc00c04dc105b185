// One operation → one route: admission, input, handler, answer.

import buildSerializer from 'fast-json-stringify';
import type { HandlerContext, Identity } from '../contract/handler.ts';
import { COSTS, type Operation } from '../contract/operation.ts';
import { createInputParser } from '../contract/parse-input.ts';
import { isReadyAnswer } from '../contract/ready-answer.ts';
import { AppError, toInvalidInput } from '../errors/app-error.ts';
import type { ReadAddressGroup } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import type { Gate } from './gate.ts';
import { parseQueryString } from './query-string.ts';
import { readJsonObject } from './read-body.ts';

/** Any operation's handler, as the transport calls it. */
export type AnyHandler = (input: unknown, context: HandlerContext) => unknown;

/** Answers an exchange; a throw or rejection becomes a problem. */
export type Answer = (exchange: Exchange) => void | Promise<void>;

export interface BindOptions {
  readonly gate: Gate;
  readonly readAddressGroup: ReadAddressGroup;
  readonly timeoutMs: number;
}

/** For requests that are not metered, and so ask for no identity. */
const UNMETERED: Identity = { kind: 'anonymous', key: 'unmetered' };

/** A handler's input: the query of a GET or DELETE, the JSON body of a POST. */
function createInputReader(operation: Operation): (exchange: Exchange) => unknown {
  if (operation.method === 'POST') {
    const parse = createInputParser(operation.input, 'json');
    return async (exchange) => {
      if (exchange.query !== null) {
        throw toInvalidInput([{ path: 'query', message: 'must be empty; send a JSON body' }]);
      }
      return parse(await readJsonObject(exchange.request));
    };
  }
  const parse = createInputParser(operation.input, 'text');
  const takesNothing = Object.keys(operation.input.properties).length === 0;
  return (exchange) =>
    takesNothing && exchange.query === null ? {} : parse(parseQueryString(exchange.query ?? ''));
}

/** Declared fields leave, others do not. */
function createSerializer(operation: Operation): (answer: unknown) => string {
  if (operation.mediaType !== 'application/json') return (answer) => String(answer);
  return buildSerializer(operation.output as Parameters<typeof buildSerializer>[0]);
}

function admit(exchange: Exchange, cost: number, options: BindOptions): void {
  const admission = options.gate.admit(
    {
      authorization: exchange.request.headers.authorization,
      addressGroup: options.readAddressGroup(exchange.request),
    },
    cost,
  );
  exchange.identity = admission.identity;
  exchange.addHeader('ratelimit', admission.rateLimit);
  exchange.addHeader('ratelimit-policy', admission.rateLimitPolicy);
}

/** Rejects when `work` takes longer than a request may. */
function withTimeout<T>(work: Promise<T>, exchange: Exchange, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // While the body is still on its way the delay is the client's, not ours.
      reject(
        exchange.request.complete
          ? new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 })
          : new AppError('REQUEST_TIMEOUT', {}, { headers: { Connection: 'close' } }),
      );
    }, timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

export function bindOperation(
  operation: Operation,
  handler: AnyHandler,
  options: BindOptions,
): Answer {
  const cost = COSTS[operation.cost];
  const readInput = createInputReader(operation);
  const serialize = createSerializer(operation);
  const contentType = `${operation.mediaType}; charset=utf-8`;
  function send(exchange: Exchange, answer: unknown): void {
    exchange.addHeader('content-type', contentType);
    exchange.addHeader('cache-control', operation.cacheControl);
    if (isReadyAnswer(answer)) exchange.sendReady(operation.status, answer);
    else exchange.send(operation.status, serialize(answer));
  }
  function handle(exchange: Exchange, input: unknown): unknown {
    return handler(input, { identity: exchange.identity ?? UNMETERED, requestId: exchange.id });
  }
  async function answerLater(exchange: Exchange, input: Promise<unknown>): Promise<void> {
    const work = input.then((value) => handle(exchange, value));
    send(exchange, await withTimeout(work, exchange, options.timeoutMs));
  }
  return (exchange) => {
    if (cost > 0) admit(exchange, cost, options);
    const input = readInput(exchange);
    if (input instanceof Promise) return answerLater(exchange, input);
    const answer = handle(exchange, input);
    if (answer instanceof Promise) {
      return withTimeout(answer, exchange, options.timeoutMs).then((value) =>
        send(exchange, value),
      );
    }
    send(exchange, answer);
  };
}
