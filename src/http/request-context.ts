// What a handler is given besides its input. Classes, because an object made of others for each
// request took longer than the rest of a hot read.

import type { IncomingMessage } from 'node:http';
import type { HandlerContext } from '../contract/handler.ts';
import type { Identity } from '../contract/identity.ts';
import type { WorkContext } from '../contract/work-context.ts';
import type { ReadAddressGroup } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import type { Admission, Gate } from './gate.ts';
import { readOrigin } from './response-headers.ts';

// Checks of a request's head beyond those of Node's parser: RFC 9112, 3.2 and 6.1.

/**
 * A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986, 3.2.2).
 */
const HOST = /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+|\[[\da-f:.]{2,45}\])(?::\d{0,5})?$/i;

/** Most clients send the same host, so it need not be matched again. */
let lastValidHost: string | null = null;

function isValidHost(host: string): boolean {
  if (host === lastValidHost) return true;
  if (!HOST.test(host)) return false;
  lastValidHost = host;
  return true;
}

/** Node keeps only the first `Host` field, so the raw fields are counted. */
function hasTwoHosts(fields: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}

function findHostFault(request: IncomingMessage): string | null {
  const { host } = request.headers;
  if (host === undefined) {
    return request.httpVersion === '1.1' ? 'The Host header is missing.' : null;
  }
  if (!isValidHost(host)) return 'The Host header is invalid.';
  return hasTwoHosts(request.rawHeaders) ? 'The Host header must be given once.' : null;
}

function findCodingFault(request: IncomingMessage): string | null {
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined) return null;
  if (coding.toLowerCase() !== 'chunked') return 'Transfer-Encoding must be "chunked" alone.';
  // An HTTP/1.0 proxy ignores the field and may end the body elsewhere (request smuggling).
  return request.httpVersion === '1.1' ? null : 'Transfer-Encoding needs HTTP/1.1.';
}

/** Why the request cannot be trusted, as a text for its sender; null if it is fine. */
export function findHeadFault(request: IncomingMessage): string | null {
  return findHostFault(request) ?? findCodingFault(request);
}

const INTERIM_MS = 250;
/** One for all: the default reason is an error whose stack is recorded each time. */
const CLOSED = new Error('the connection was closed, or the answer was sent');

/**
 * Gives what is aborted when the answer was sent, or cannot be any more.
 *
 * A client that closes its sending side may have disconnected, or may still read: the two look the
 * same until something is sent. So interim answers are sent from then on, which a reader skips
 * (RFC 9110, 15.2) and a closed socket rejects with a reset. The reset shows when the next one is
 * sent.
 */
function watchClient({ request, response }: Exchange): AbortSignal {
  const closed = new AbortController();
  if (response.destroyed) {
    closed.abort(CLOSED);
    return closed.signal;
  }
  const { socket } = request;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    if (!response.headersSent) response.writeProcessing();
  };
  const ask = () => {
    // Clients of HTTP/1.0 know no interim answers.
    if (request.httpVersion !== '1.1') return;
    send();
    timer = setInterval(send, INTERIM_MS).unref();
  };
  response.once('close', () => {
    socket.off('end', ask);
    clearInterval(timer);
    closed.abort(CLOSED);
  });
  if (socket.readableEnded) ask();
  else socket.once('end', ask);
  return closed.signal;
}

interface ChargeOptions {
  readonly gate: Gate;
  readonly readAddressGroup: ReadAddressGroup;
}

/** For requests that are not metered and need no identity. */
const UNMETERED: Identity = { kind: 'anonymous', key: 'unmetered' };

export function readGroup(
  exchange: Exchange,
  options: Pick<ChargeOptions, 'readAddressGroup'>,
): string {
  exchange.addressGroup ??= options.readAddressGroup(exchange.request);
  return exchange.addressGroup;
}

/** What was charged: for the whole request, or for one message in it. */
interface Bill {
  cost: number;
  /** What was given back because work was refused. */
  returned: number;
}

/**
 * Takes back what refusals returned: a response with 429 costs nothing, but one that goes on
 * without the refused work costs its price.
 */
export function chargeReturned(
  exchange: Exchange,
  options: ChargeOptions,
  bill: Bill = exchange,
): void {
  const { identity } = exchange;
  const { returned } = bill;
  if (returned === 0 || identity === null) return;
  bill.returned = 0;
  bill.cost += returned;
  const caller = { identity, addressGroup: readGroup(exchange, options) };
  exchange.setHeader('ratelimit', options.gate.chargeDone(caller, returned).rateLimit);
}

/** Charges for work beyond the operation's cost, and detects when the client disconnects. */
class ChargedWork implements WorkContext {
  readonly #exchange: Exchange;
  readonly #options: ChargeOptions;
  readonly #bill: Bill;
  #watched: AbortSignal | null = null;

  constructor(exchange: Exchange, options: ChargeOptions, bill: Bill) {
    this.#exchange = exchange;
    this.#options = options;
    this.#bill = bill;
  }

  watchClient(): AbortSignal {
    this.#watched ??= watchClient(this.#exchange);
    return this.#watched;
  }

  chargeAhead(ahead: { readonly cost: number; readonly paid: number }): number {
    const caller = this.#readCaller();
    if (caller === null) return 0;
    const bill = this.#bill;
    // A refusal gives back what was paid, but never more than this request still has paid.
    const paid = Math.min(ahead.paid, bill.cost);
    bill.cost -= paid;
    bill.returned += paid;
    const { gate } = this.#options;
    const { charged, admission } = gate.chargeAhead(caller, { cost: ahead.cost, paid });
    if (admission !== null) this.#showRateLimit(admission);
    bill.cost += paid + charged;
    bill.returned -= paid;
    return charged;
  }

  chargeDone(cost: number): void {
    const caller = this.#readCaller();
    if (caller === null || cost === 0) return;
    this.#bill.cost += cost;
    this.#showRateLimit(this.#options.gate.chargeDone(caller, cost));
  }

  #readCaller() {
    const { identity } = this.#exchange;
    return identity && { identity, addressGroup: readGroup(this.#exchange, this.#options) };
  }

  #showRateLimit(admission: Admission): void {
    this.#exchange.setHeader('ratelimit', admission.rateLimit);
  }
}

/** The same as functions, for a context that is composed of parts. */
export function createWorkContext(
  exchange: Exchange,
  options: ChargeOptions,
  bill: Bill = exchange,
): WorkContext {
  const work = new ChargedWork(exchange, options, bill);
  return {
    watchClient: () => work.watchClient(),
    chargeAhead: (ahead) => work.chargeAhead(ahead),
    chargeDone: (cost) => work.chargeDone(cost),
  };
}

/** Its functions belong to it: call them on it. */
export class RequestContext extends ChargedWork implements HandlerContext {
  readonly identity: Identity;
  readonly requestId: string;
  readonly addressGroup: string;
  readonly origin: string | null;
  idempotencyKey: string | null = null;

  constructor(exchange: Exchange, options: ChargeOptions) {
    super(exchange, options, exchange);
    this.identity = exchange.identity ?? UNMETERED;
    this.requestId = exchange.id;
    this.addressGroup = readGroup(exchange, options);
    this.origin = readOrigin(exchange);
  }
}
