// Binds an operation to a route: admission, input, handler, response.

import { createHash } from 'node:crypto';
import { createAnswerSerializer } from '../contract/create-serializer.ts';
import type { AnyHandler } from '../contract/handler.ts';
import {
  type FramedAnswer,
  isFramedAnswer,
  isLazyAnswer,
  isReadyAnswer,
  type ReadyAnswer,
} from '../contract/handler.ts';
import {
  COSTS,
  findKeyScope,
  isShared,
  mayCompress,
  type Operation,
} from '../contract/operation.ts';
import { AppError } from '../errors/app-error.ts';
import type { ReadAddressGroup } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import type { Admission, Gate, Passage } from './gate.ts';
import { Refusal } from './problem.ts';
import { createInputReader, readIdempotencyKey } from './read-input.ts';
import { chargeReturned, RequestContext, readGroup } from './request-context.ts';
import type { IsAllowedOrigin } from './response-headers.ts';
import type { SendQueueWatch } from './send-queue-watch.ts';
import type { SessionCookie } from './session-cookie.ts';

interface AnswerSenderOptions {
  readonly cookie: SessionCookie;
  readonly nowMs: () => number;
}

function createWriter(operation: Operation): (answer: unknown) => Buffer {
  const serialize = createAnswerSerializer(operation);
  const toBytes = (answer: unknown) => Buffer.from(serialize(answer), 'utf8');
  const written = new WeakMap<object, Buffer>();
  return (answer) => {
    // Only frozen answers are cached, because they cannot change.
    if (typeof answer !== 'object' || !Object.isFrozen(answer) || answer === null) {
      return toBytes(answer);
    }
    const known = written.get(answer);
    if (known !== undefined) return known;
    const bytes = toBytes(answer);
    written.set(answer, bytes);
    return bytes;
  };
}

export function buildReadyAnswer(bytes: Buffer): ReadyAnswer {
  const hash = createHash('sha1').update(bytes).digest('base64url').slice(0, 22);
  return { kind: 'ready', bytes, etag: `W/"${hash}"` };
}

function addFrame(
  exchange: Exchange,
  answer: FramedAnswer<unknown>,
  options: AnswerSenderOptions,
): void {
  const { session } = answer;
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    exchange.setHeader(name.toLowerCase(), value);
  }
  if (session === 'drop') exchange.setHeader('set-cookie', options.cookie.buildDropped());
  else if (session) {
    const seconds = Math.floor((session.expiresAtMs - options.nowMs()) / 1000);
    exchange.setHeader('set-cookie', options.cookie.buildKept(session.token, seconds));
  }
}

/** Sends an answer; the promise is for a response that takes a while to compress. */
type SendAnswer = (exchange: Exchange, answer: unknown) => void | Promise<void>;

function createAnswerSender(operation: Operation, options: AnswerSenderOptions): SendAnswer {
  const { status } = operation;
  const write = createWriter(operation);
  const contentType = `${operation.mediaType}; charset=utf-8`;
  const isNamed = isShared(operation);
  const isCompressed = mayCompress(operation);
  return (exchange, answer) => {
    exchange.addHeader('content-type', contentType);
    exchange.addHeader('cache-control', operation.cacheControl);
    if (isCompressed) exchange.addHeader('vary', 'Accept-Encoding');
    if (isReadyAnswer(answer)) return exchange.sendReady(status, answer, isCompressed);
    if (!isFramedAnswer(answer)) {
      const bytes = write(isLazyAnswer(answer) ? answer.take() : answer);
      if (isNamed) return exchange.sendReady(status, buildReadyAnswer(bytes), isCompressed);
      if (isCompressed) return exchange.sendBody(status, { bytes });
      exchange.send(status, bytes);
      return;
    }
    addFrame(exchange, answer, options);
    exchange.send(status, write(answer.body));
  };
}

/** Answers an exchange; a throw or rejection becomes a problem response. */
export type ExchangeHandler = (exchange: Exchange) => void | Promise<void>;

export interface BindOptions {
  readonly gate: Gate;
  readonly readAddressGroup: ReadAddressGroup;
  readonly cookie: SessionCookie;
  readonly isAllowedOrigin: IsAllowedOrigin;
  readonly nowMs: () => number;
  readonly timeoutMs: number;
  readonly sendQueues: SendQueueWatch;
}

export function readPassage(operation: Operation): Passage {
  const { access, method } = operation;
  const scope = findKeyScope(operation);
  return { cost: COSTS[operation.cost], access, scope, isWrite: method !== 'GET' };
}

function welcome(exchange: Exchange, admission: Admission, cost: number): void {
  exchange.identity = admission.identity;
  exchange.cost = cost;
  exchange.addHeader('ratelimit', admission.rateLimit);
  exchange.addHeader('ratelimit-policy', admission.rateLimitPolicy);
}

/** The caller's identity; asynchronous only if a credential has to be looked up. */
export function admit(
  exchange: Exchange,
  passage: Passage,
  options: BindOptions,
): void | Promise<void> {
  const { authorization, cookie, origin } = exchange.request.headers;
  const visitor = {
    authorization,
    sessionCookie: passage.access === 'key' ? undefined : options.cookie.read(cookie),
    addressGroup: readGroup(exchange, options),
    isFromPage: origin !== undefined,
    isFromOwnPage: passage.isWrite && options.isAllowedOrigin(origin ?? null),
  };
  const { cost } = passage;
  try {
    const admission = options.gate.admit(visitor, passage);
    if (!(admission instanceof Promise)) return welcome(exchange, admission, cost);
    return admission
      .then((found) => welcome(exchange, found, cost))
      .catch((error: unknown) => refuse(exchange, error));
  } catch (error) {
    refuse(exchange, error);
  }
}

/** Who it was is known: the refusal is counted. */
function refuse(exchange: Exchange, error: unknown): never {
  if (error instanceof Refusal) exchange.identity = error.caller;
  throw error;
}

/** Rejects when `work` exceeds the time limit of a request. */
export function withTimeout<T>(
  work: Promise<T>,
  exchange: Exchange,
  timeoutMs: number,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // While the body is still arriving, the delay is the client's fault.
      reject(
        exchange.request.complete
          ? new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 })
          : new AppError('REQUEST_TIMEOUT', {}, { headers: { Connection: 'close' } }),
      );
    }, timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

export function isRateLimited(error: unknown): boolean {
  return error instanceof AppError && error.status === 429;
}

export function bindOperation(
  operation: Operation,
  handler: AnyHandler,
  options: BindOptions,
): ExchangeHandler {
  const passage = readPassage(operation);
  const readInput = createInputReader(operation);
  const send = createAnswerSender(operation, options);
  function handle(exchange: Exchange, input: unknown): unknown {
    const context = new RequestContext(exchange, options);
    if (operation.takesIdempotencyKey) context.idempotencyKey = readIdempotencyKey(exchange);
    return handler(input, context);
  }
  function finish(exchange: Exchange, answer: unknown) {
    chargeReturned(exchange, options);
    return send(exchange, answer);
  }
  /** The answer, or a promise if any step is asynchronous. */
  function work(exchange: Exchange): unknown {
    const input = readInput(exchange);
    return input instanceof Promise
      ? input.then((value) => handle(exchange, value))
      : handle(exchange, input);
  }
  return (exchange) => {
    const admission = passage.cost > 0 ? admit(exchange, passage, options) : undefined;
    const answer = admission ? admission.then(() => work(exchange)) : work(exchange);
    if (!(answer instanceof Promise)) return finish(exchange, answer);
    return withTimeout(answer, exchange, options.timeoutMs).then(
      (value) => finish(exchange, value),
      (error: unknown) => {
        if (!isRateLimited(error)) chargeReturned(exchange, options);
        throw error;
      },
    );
  };
}
