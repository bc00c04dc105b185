// Binds an operation that reads its own body to a route: admission, bytes, handler, response.

import type { RawHandler } from '../contract/handler.ts';
import type { Operation } from '../contract/operation.ts';
import type { RawRequest } from '../contract/raw-request.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import {
  admit,
  type BindOptions,
  createWorkContext,
  type ExchangeHandler,
  readPassage,
  withTimeout,
} from './bind.ts';
import type { Exchange } from './exchange.ts';
import { Refusal } from './gate.ts';
import { readJsonBytes } from './read-body.ts';
import { readOrigin } from './response-headers.ts';

/** Charges message by message; what the request was already charged counts toward the first. */
function createCharge(exchange: Exchange, options: BindOptions, paid: number) {
  let left = paid;
  let isFirst = true;
  return (cost: number): void => {
    const advance = left;
    const isRequest = !isFirst;
    left = 0;
    isFirst = false;
    const { identity } = exchange;
    if (identity === null || cost <= advance) return;
    const addressGroup = options.readAddressGroup(exchange.request);
    const caller = { identity, addressGroup };
    const admission = options.gate.chargeMore(caller, { cost, advance, isRequest });
    exchange.renewHeader('ratelimit', admission.rateLimit);
  };
}

/** Longer bodies are not read for a caller without budget. */
const UNPAID_BYTES_MAX = 4096;

/**
 * A request is charged the minimum before it is read. If it is rejected then, it gets the wait for
 * its real cost, like the HTTP operation.
 */
async function correctRefusal(
  error: unknown,
  exchange: Exchange,
  handler: RawHandler,
): Promise<unknown> {
  if (!(error instanceof Refusal)) return error;
  const { request } = exchange;
  const { headers } = request;
  // NaN if there is no Content-Length; then the body is not read.
  if (!(Number(headers['content-length']) <= UNPAID_BYTES_MAX)) {
    return error.withCost(handler.findCost(null));
  }
  try {
    const body = await readJsonBytes(request);
    return error.withCost(handler.findCost({ body, headers }));
  } catch {
    // No message can be in such a body.
    return error;
  }
}

export function bindRawOperation(
  operation: Operation,
  handler: RawHandler,
  options: BindOptions,
): ExchangeHandler {
  const passage = readPassage(operation);
  async function work(exchange: Exchange): Promise<void> {
    try {
      await admit(exchange, passage, options);
    } catch (error) {
      throw await correctRefusal(error, exchange, handler);
    }
    if (exchange.query !== null) {
      throw buildInvalidInputError([{ path: 'query', message: 'must be empty; send a JSON body' }]);
    }
    const { request, identity } = exchange;
    if (identity === null) throw new Error(`${operation.id} was called without a caller`);
    const raw: RawRequest = {
      body: await readJsonBytes(request),
      headers: request.headers,
      charge: createCharge(exchange, options, passage.cost),
      rename: (name) => {
        exchange.operation = name;
      },
    };
    const answer = await handler(raw, {
      identity,
      requestId: exchange.id,
      addressGroup: options.readAddressGroup(request),
      origin: readOrigin(exchange),
      idempotencyKey: null,
      ...createWorkContext(exchange, options),
    });
    exchange.addHeader('cache-control', operation.cacheControl);
    if (answer.body !== null) {
      exchange.addHeader('content-type', `${operation.mediaType}; charset=utf-8`);
    }
    const { status, body, retryAfterSeconds } = answer;
    if (retryAfterSeconds !== undefined) {
      exchange.addHeader('retry-after', String(retryAfterSeconds));
    }
    if (body === null || typeof body === 'string') exchange.send(status, body ?? '');
    else exchange.sendParts(status, body);
  }
  return (exchange) => withTimeout(work(exchange), exchange, options.timeoutMs);
}
