// One operation that reads its own body → one route: admission, bytes, handler, answer.

import type { RawHandler } from '../contract/handler.ts';
import type { Operation } from '../contract/operation.ts';
import type { RawRequest } from '../contract/raw-request.ts';
import { toInvalidInput } from '../errors/app-error.ts';
import {
  type Answer,
  admit,
  type BindOptions,
  createChargeDone,
  toPassage,
  withTimeout,
} from './bind.ts';
import type { Exchange } from './exchange.ts';
import { readJsonBytes } from './read-body.ts';
import { readOrigin } from './response-headers.ts';

/** Charges message by message: what the request itself was charged counts toward the first. */
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

export function bindRawOperation(
  operation: Operation,
  handler: RawHandler,
  options: BindOptions,
): Answer {
  const passage = toPassage(operation);
  async function work(exchange: Exchange): Promise<void> {
    await admit(exchange, passage, options);
    if (exchange.query !== null) {
      throw toInvalidInput([{ path: 'query', message: 'must be empty; send a JSON body' }]);
    }
    const { request, identity } = exchange;
    if (identity === null) throw new Error(`${operation.id} let nobody in`);
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
      chargeDone: createChargeDone(exchange, options),
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
