// Binds an operation that reads its own body to a route: admission, bytes, handler, response.

import type { RawHandler } from '../contract/handler.ts';
import type { Operation } from '../contract/operation.ts';
import type { RawRequest } from '../contract/raw-request.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import { admit, type BindOptions, type ExchangeHandler, readPassage, withTimeout } from './bind.ts';
import { COMPRESSED_BYTES_MIN, gzipParts } from './compress-body.ts';
import type { Exchange } from './exchange.ts';
import { accepts, pickEncoding } from './pick-encoding.ts';
import { readJsonBytes } from './read-body.ts';
import { Refusal } from './refusal.ts';
import { chargeReturned, createWorkContext } from './request-context.ts';
import { readOrigin } from './response-headers.ts';

/** Bills message by message; what the request was already charged counts toward the first. */
function createMessages(
  exchange: Exchange,
  options: BindOptions,
  paid: number,
): RawRequest['begin'] {
  let left = paid;
  let isFirst = true;
  return (operation) => {
    const advance = left;
    const isRequest = !isFirst;
    left = 0;
    isFirst = false;
    const bill = { cost: advance, returned: 0 };
    exchange.isCounted = true;
    return {
      charge: (cost) => {
        const { identity } = exchange;
        if (identity === null || cost <= advance) return;
        const addressGroup = options.readAddressGroup(exchange.request);
        const caller = { identity, addressGroup };
        // A refusal gives the advance back.
        bill.cost = 0;
        const admission = options.gate.chargeMore(caller, { cost, advance, isRequest });
        bill.cost = cost;
        exchange.setHeader('ratelimit', admission.rateLimit);
      },
      work: createWorkContext(exchange, options, bill),
      end: (status) => {
        if (status !== 429) chargeReturned(exchange, options, bill);
        exchange.countPart({ operation, cost: bill.cost, status });
      },
    };
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
    const body = await readJsonBytes(exchange);
    return error.withCost(handler.findCost({ body, headers }));
  } catch {
    // No message can be in such a body.
    return error;
  }
}

/** Compressed if the client asks for it. Only gzip can be joined from parts that are kept. */
async function sendParts(
  exchange: Exchange,
  status: number,
  parts: readonly Buffer[],
): Promise<void> {
  const accepted = exchange.request.headers['accept-encoding'] as string | undefined;
  const choice = pickEncoding(accepted);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (choice === null || (length < COMPRESSED_BYTES_MIN && !choice.isForced)) {
    exchange.sendParts(status, parts);
  } else if (choice.encoding === 'gzip' || accepts(accepted, 'gzip')) {
    const compressed = await gzipParts(parts);
    exchange.addHeader('content-encoding', 'gzip');
    exchange.sendParts(status, compressed);
  } else {
    await exchange.sendBody(status, { bytes: Buffer.concat(parts, length) });
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
      body: await readJsonBytes(exchange),
      headers: request.headers,
      begin: createMessages(exchange, options, passage.cost),
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
    });
    exchange.addHeader('cache-control', operation.cacheControl);
    if (answer.body !== null) {
      exchange.addHeader('content-type', `${operation.mediaType}; charset=utf-8`);
    }
    const { status, body, retryAfterSeconds } = answer;
    if (retryAfterSeconds !== undefined) {
      exchange.addHeader('retry-after', String(retryAfterSeconds));
    }
    exchange.setHeader('vary', 'Origin, Accept-Encoding');
    if (body === null) exchange.send(status, '');
    else await sendParts(exchange, status, typeof body === 'string' ? [Buffer.from(body)] : body);
  }
  return (exchange) => withTimeout(work(exchange), exchange, options.timeoutMs);
}
