// One request and its response: the only code that writes a response.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnsweredRequest } from '../access/operation-usage.ts';
import type { CompatShape } from '../contract/compat-route.ts';
import type { ReadyAnswer } from '../contract/handler.ts';
import type { Identity } from '../contract/identity.ts';
import type { AppError } from '../errors/app-error.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { HeldSlots } from '../lib/held-slots.ts';
import {
  COMPRESSED_BYTES_MIN,
  type CompressibleBody,
  compressBody,
  type Encoding,
  pickEncoding,
} from './compress-body.ts';
import type { Pressure } from './pressure.ts';
import { COMMON_HEADERS, serializeProblem } from './problem.ts';

// The path and the query of a request target.

interface RequestTarget {
  /** The path without its query. */
  readonly path: string;
  /** The query text without its question mark; null when there is no question mark. */
  readonly query: string | null;
}

const TARGETS_KEPT = 1000;
const KEPT_LENGTH_MAX = 512;

/** A proxy may send an absolute URL as the target; only its path and query count. */
function toOriginForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
}

function parseTarget(text: string): RequestTarget {
  const url = toOriginForm(text);
  const question = url.indexOf('?');
  if (question < 0) return { path: url, query: null };
  return { path: url.slice(0, question), query: url.slice(question + 1) };
}

/**
 * Targets repeat, so the last ones are cached, with strings that are already hashed for map
 * lookups.
 */
export function createTargetReader(): (text: string) => RequestTarget {
  const kept = new BoundedMap<string, RequestTarget>(TARGETS_KEPT);
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const target = parseTarget(text);
    if (text.length <= KEPT_LENGTH_MAX) kept.set(text, target);
    return target;
  };
}

// The exchange itself.

/** Flat name, value, name, value: the form that Node writes fastest. */
const COMMON_FLAT: readonly string[] = Object.entries(COMMON_HEADERS).flat();

interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: RequestTarget;
  readonly id: string;
  readonly startedMs: number;
}

/** What all exchanges of a server share. */
interface ExchangeTools {
  /** Null if nobody counts the usage of callers. */
  readonly countAnswer: CountAnswer | null;
  readonly observe: ObserveExchange;
  readonly pressure: Pressure;
  /** Bodies that are not read yet, by the addresses that send them. */
  readonly bodies: HeldSlots;
  /** How long a body may take before it needs the minimum rate. */
  readonly bodyMs: number;
}

/**
 * Counts, measures and logs an exchange when it ends or, if it streams, when its response has
 * begun: from then on it no longer counts as a request in progress. `begun` is its status then.
 */
export type ObserveExchange = (exchange: Exchange, begun?: number) => void;

/** Counts an answer, or a part of one, for the caller's usage. */
export type CountAnswer = (identity: Identity, answered: AnsweredRequest) => void;

/**
 * Nothing in it begins with `#`: such fields are set by key, and V8 turned objects with this many
 * of them into dictionaries: up to 3 µs of a request.
 */
export class Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: RequestTarget;
  identity: Identity | null = null;
  /** What the caller was charged for it. */
  cost = 0;
  /** What it was given back because work in it was refused. */
  returned = 0;
  /** Whether its messages were counted one by one. */
  isCounted = false;
  /** The caller's address group; null until it is first needed. */
  addressGroup: string | null = null;
  /** The name in the log; set when the route is known. */
  operation = 'unknown';
  /** How errors look where the route has the shape of another API; null for a problem. */
  encodeError: CompatShape['encodeError'] | null = null;
  /** Whether it was observed: once is enough. */
  isObserved = false;
  private isInWork = false;
  readonly startedMs: number;
  readonly tools: ExchangeTools;
  /** The same for all responses until one of them is changed. */
  private common = COMMON_FLAT;
  private readonly headers: string[];

  constructor(parts: ExchangeParts, tools: ExchangeTools) {
    const { id } = parts;
    this.id = id;
    this.request = parts.request;
    this.response = parts.response;
    this.target = parts.target;
    this.startedMs = parts.startedMs;
    this.tools = tools;
    this.headers = ['x-request-id', id];
  }

  get path(): string {
    return this.target.path;
  }

  get query(): string | null {
    return this.target.query;
  }

  /**
   * Counts work for the caller's usage that is not the whole request. A method, because one more
   * closure for each request made V8 keep all of a request's objects until a full collection.
   */
  countPart(part: AnsweredRequest): void {
    if (this.identity !== null) this.tools.countAnswer?.(this.identity, part);
  }

  /**
   * Counts it as work from now on: when it has arrived as a whole. A body that is late makes no
   * work, and must not be a reason to refuse others.
   */
  beginWork(): void {
    // A timeout may have answered meanwhile.
    if (!this.isOpen) return;
    this.isInWork = true;
    this.tools.pressure.enter();
  }

  /** An answer that its client does not read makes no work either. */
  endWork(): void {
    if (!this.isInWork) return;
    this.isInWork = false;
    this.tools.pressure.leave();
  }

  /** Sets a header, replacing an existing one. */
  setHeader(name: string, value: string): void {
    const at = findHeader(this.headers, name);
    if (at >= 0) this.headers[at + 1] = value;
    else {
      this.common = withoutHeader(this.common, name);
      this.headers.push(name, value);
    }
  }

  /** Adds a header that is not set yet. */
  addHeader(name: string, value: string): void {
    this.headers.push(name, value);
  }

  removeHeader(name: string): void {
    const at = findHeader(this.headers, name);
    if (at >= 0) this.headers.splice(at, 2);
    this.common = withoutHeader(this.common, name);
  }

  private writeHead(status: number): void {
    this.response.writeHead(status, [...this.common, ...this.headers]);
  }

  /**
   * Whether a response can still be sent: the client may be gone, or a timeout may have responded.
   */
  get isOpen(): boolean {
    return !this.response.headersSent && !this.response.destroyed;
  }

  /** Sends the head of a streaming response; see `closeAfter` for later requests. */
  sendHead(status: number): void {
    this.writeHead(status);
    this.response.flushHeaders();
    this.tools.observe(this, status);
  }

  send(status: number, body: string | Buffer | null): void {
    if (!this.isOpen) return;
    this.endWork();
    if (body === null) {
      // 204 and 304 have no body and so no length.
      this.writeHead(status);
      this.response.end();
      return;
    }
    // Given a string, Node would join it to the headers and encode both, which costs more than the
    // rest.
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
    this.headers.push('content-length', String(bytes.length));
    this.writeHead(status);
    // Node omits the body of a response to HEAD itself.
    this.response.end(bytes);
  }

  /** Sends a body in several parts without copying a long one. */
  sendParts(status: number, parts: readonly Buffer[]): void {
    if (!this.isOpen) return;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.endWork();
    this.headers.push('content-length', String(length));
    this.writeHead(status);
    this.response.cork();
    for (const part of parts) this.response.write(part);
    this.response.uncork();
    this.response.end();
  }

  /** Compresses the body if the client asks for it; a promise while that takes its time. */
  sendBody(status: number, body: CompressibleBody): void | Promise<void> {
    const { bytes } = body;
    const choice = pickEncoding(this.request.headers['accept-encoding'] as string | undefined);
    if (choice === null || (bytes.length < COMPRESSED_BYTES_MIN && !choice.isForced)) {
      this.send(status, bytes);
      return;
    }
    return this.sendCompressed(status, body, choice.encoding);
  }

  /** A method of its own: a closure in `sendBody` would cost every response, compressed or not. */
  private sendCompressed(
    status: number,
    body: CompressibleBody,
    encoding: Encoding,
  ): void | Promise<void> {
    const send = (compressed: Buffer) => {
      this.addHeader('content-encoding', encoding);
      this.send(status, compressed);
    };
    const compressed = compressBody(body, encoding);
    if (compressed instanceof Promise) return compressed.then(send);
    send(compressed);
  }

  /** `mayCompress`: whether the operation's responses may be compressed. */
  sendReady(status: number, answer: ReadyAnswer, mayCompress: boolean): void | Promise<void> {
    const { etag } = answer;
    if (etag !== null) this.addHeader('etag', etag);
    if (answer.headers !== undefined) {
      for (const [name, value] of Object.entries(answer.headers)) this.setHeader(name, value);
    }
    const ifNoneMatch = this.request.headers['if-none-match'];
    const isKnown = ifNoneMatch !== undefined && etag !== null && matchesEtag(ifNoneMatch, etag);
    if (isKnown) this.send(304, null);
    else if (mayCompress) return this.sendBody(status, answer);
    else this.send(status, answer.bytes);
  }

  sendError(error: AppError): void {
    if (!this.isOpen) return;
    const foreign = this.encodeError?.(error, this.id) ?? null;
    if (error.status === 401) this.setHeader('www-authenticate', 'Bearer realm="mintwire"');
    for (const [name, value] of Object.entries(error.headers ?? {})) {
      this.setHeader(name.toLowerCase(), value);
    }
    if (error.retryAfterSeconds !== undefined) {
      this.setHeader('retry-after', String(error.retryAfterSeconds));
    }
    for (const [name, value] of Object.entries(foreign?.headers ?? {})) this.setHeader(name, value);
    this.setHeader('cache-control', 'no-store');
    const subtype = foreign === null ? 'problem+json' : 'json';
    this.setHeader('content-type', `application/${subtype}; charset=utf-8`);
    if (foreign === null) this.send(error.status, serializeProblem(error, this.id));
    else this.send(foreign.status, JSON.stringify(foreign.body));
  }
}

/** Where a header's name is in a flat list; −1 if it is not. */
function findHeader(headers: readonly string[], name: string): number {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) return index;
  }
  return -1;
}

function withoutHeader(headers: readonly string[], name: string): readonly string[] {
  const at = findHeader(headers, name);
  return at < 0 ? headers : headers.toSpliced(at, 2);
}

/** Weak comparison: `W/` does not matter. */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  const opaque = etag.replace(/^W\//, '');
  return ifNoneMatch
    .split(',')
    .map((one) => one.trim())
    .some((one) => one === '*' || one.replace(/^W\//, '') === opaque);
}
