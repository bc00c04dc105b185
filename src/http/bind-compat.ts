// Binds routes in the shape of other APIs: admission and work as for an operation, errors in that
// shape, and the mapped answer kept as long as the answers that it was made from.

import { LRUCache } from 'lru-cache';
import { isPrivateKeyShaped, readTokenKind } from '../access/secret-token.ts';
import {
  type Ask,
  CompatRefusal,
  type CompatReply,
  type CompatRequest,
  type CompatRoute,
  type CompatShape,
} from '../contract/compat-route.ts';
import {
  type AnyHandler,
  isFramedAnswer,
  isLazyAnswer,
  isReadyAnswer,
  type ReadyAnswer,
} from '../contract/handler.ts';
import { COSTS, findKeyScope, isShared, type Operation } from '../contract/operation.ts';
import { createInputParser } from '../contract/parse-input.ts';
import { AppError } from '../errors/app-error.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import {
  admit,
  type BindOptions,
  buildReadyAnswer,
  type ExchangeHandler,
  isRateLimited,
  readPassage,
  withTimeout,
} from './bind.ts';
import type { Exchange } from './exchange.ts';
import type { Passage } from './gate.ts';
import { parseJsonObject, readJsonBytes } from './read-body.ts';
import { chargeReturned, RequestContext } from './request-context.ts';

// Answers that are kept.

type Input = Readonly<Record<string, unknown>>;

/** What a route asked, and what it was told. */
interface AskedOnce {
  readonly operation: Operation;
  /** As the route gave it. */
  readonly given: Input;
  /** Parsed; the same object each time, so that handlers find what they know of it. */
  readonly input: unknown;
  /** The same as long as the answer is, but for its `asOf`; null where there is none. */
  readonly etag: string | null;
  /** Of an answer that is kept: the same object as long as it holds. */
  readonly bytes: Buffer;
}

interface KeptAnswer {
  readonly asked: readonly AskedOnce[];
  readonly answer: ReadyAnswer;
}

const KEPT_BYTES_MAX = 32 * 1024 * 1024;
const KEPT_URL_LENGTH_MAX = 2048;
/** The approximate size of an entry besides its bytes. */
const ENTRY_OVERHEAD_BYTES = 1000;

/** By URL. Answers asked for are held as long as what was made of them, so they count, too. */
type KeptAnswers = LRUCache<string, KeptAnswer>;

function createKeptAnswers(): KeptAnswers {
  return new LRUCache({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: ({ asked, answer }, url) =>
      asked.reduce((sum, { bytes }) => sum + bytes.length, answer.bytes.length) +
      2 * url.length +
      ENTRY_OVERHEAD_BYTES,
  });
}

/** Without `asOf`, which is new with every block. */
function readKeptBytes({ parts, bytes }: ReadyAnswer): Buffer {
  return parts?.long ?? bytes;
}

function isSame(answer: unknown, { etag, bytes }: AskedOnce): boolean {
  if (!isReadyAnswer(answer)) return false;
  return etag === null ? readKeptBytes(answer) === bytes : answer.etag === etag;
}

function parseReady({ parts, bytes }: ReadyAnswer): unknown {
  return JSON.parse(parts === undefined ? bytes.toString() : `${parts.long.toString()}}`);
}

// A request.

interface AskedNow {
  readonly operation: Operation;
  readonly given: Input;
  readonly input: unknown;
  readonly answer: unknown;
}

/** Asks operations for one request, and charges for them. */
class Inquiry {
  readonly #tools: AskTools;
  readonly #context: RequestContext;
  /** Asked by a replay that found a change; the route asks the same again. */
  readonly #early: AskedNow[] = [];
  readonly asked: AskedOnce[] = [];
  /** Whether all that was asked can be compared with later answers. */
  isKept = true;
  /** What was charged before any operation was asked. */
  readonly #paid: number;
  #due = 0;

  constructor(tools: AskTools, context: RequestContext, paid: number) {
    this.#tools = tools;
    this.#context = context;
    this.#paid = paid;
  }

  #charge(operation: Operation): void {
    const before = Math.max(this.#paid, this.#due);
    this.#due += COSTS[operation.cost];
    const cost = Math.max(this.#paid, this.#due) - before;
    if (cost === 0) return;
    const charged = this.#context.chargeAhead({ cost, paid: before });
    this.#context.chargeDone(cost - charged);
  }

  #call(operation: Operation, given: Input, input: unknown): AskedNow {
    this.#charge(operation);
    const { handler } = this.#tools.find(operation);
    return { operation, given, input, answer: handler(input, this.#context) };
  }

  /** A refusal is for the route, which may know what it means. */
  #callAgain({ operation, given, input }: AskedOnce): AskedNow {
    try {
      return this.#call(operation, given, input);
    } catch (error) {
      return { operation, given, input, answer: Promise.reject(error) };
    }
  }

  /** Asks all again, from one on: whether every answer is still the same. */
  isUnchanged(kept: KeptAnswer, from = 0): boolean | Promise<boolean> {
    for (let index = from; index < kept.asked.length; index += 1) {
      const once = kept.asked[index];
      if (once === undefined) return false;
      const now = this.#callAgain(once);
      this.#early.push(now);
      const { answer } = now;
      if (answer instanceof Promise) {
        return answer.then(
          (found) => isSame(found, once) && this.isUnchanged(kept, index + 1),
          // The route asks for it at once, and gets the refusal.
          () => false,
        );
      }
      if (!isSame(answer, once)) return false;
    }
    return true;
  }

  #take(operation: Operation, given: Input): AskedNow | null {
    const text = JSON.stringify(given);
    const at = this.#early.findIndex(
      (one) => one.operation === operation && JSON.stringify(one.given) === text,
    );
    return at < 0 ? null : (this.#early.splice(at, 1)[0] ?? null);
  }

  readonly ask = async (operation: Operation, given: Input): Promise<unknown> => {
    try {
      const now =
        this.#take(operation, given) ??
        this.#call(operation, given, Object.freeze(this.#tools.find(operation).parse(given)));
      const answer = now.answer instanceof Promise ? await now.answer : now.answer;
      if (isReadyAnswer(answer)) {
        const { etag } = answer;
        const bytes = readKeptBytes(answer);
        this.asked.push({ operation, given, input: now.input, etag, bytes });
        return parseReady(answer);
      }
      this.isKept = false;
      if (isLazyAnswer(answer)) return answer.take();
      return isFramedAnswer(answer) ? answer.body : answer;
    } catch (error) {
      this.isKept = false;
      throw error;
    }
  };
}

interface AskTools {
  find(operation: Operation): {
    readonly handler: AnyHandler;
    parse(given: Input): unknown;
  };
}

function createAskTools(handlers: Readonly<Record<string, AnyHandler>>): AskTools {
  const found = new Map<Operation, ReturnType<AskTools['find']>>();
  return {
    find: (operation) => {
      let one = found.get(operation);
      if (one === undefined) {
        const handler = handlers[operation.id];
        if (!handler) throw new Error(`operation ${operation.id} has no handler`);
        one = { handler, parse: createInputParser(operation.input, 'json') };
        found.set(operation, one);
      }
      return one;
    },
  };
}

// Credentials.

/** Where clients of the other APIs put their keys. */
const KEY_HEADERS = ['x-api-key', 'x-cg-pro-api-key', 'x-cg-demo-api-key'] as const;
const KEY_FIELDS = /[?&]x_cg_(?:pro|demo)_api_key=(mw_live_[0-9A-Za-z]+)/;

/** Keys of this server count wherever those clients put them; keys of others are ignored. */
function adoptCredential({ request }: Exchange): void {
  const { headers } = request;
  const given = headers.authorization;
  if (given !== undefined) {
    const bare = given.slice(given.indexOf(' ') + 1).trim();
    if (readTokenKind(bare) !== null || isPrivateKeyShaped(bare)) return;
    delete headers.authorization;
  }
  for (const name of KEY_HEADERS) {
    const key = headers[name];
    if (typeof key !== 'string') continue;
    if (readTokenKind(key) === null && !isPrivateKeyShaped(key)) continue;
    headers.authorization = `Bearer ${key}`;
    return;
  }
  const field = (request.url ?? '').includes('x_cg_') ? KEY_FIELDS.exec(request.url ?? '') : null;
  if (field !== null) headers.authorization = `Bearer ${field[1]}`;
}

// Paths.

const SEGMENT = /^\{(\w+)\}$/;

/** A trailing slash is no further segment: some clients send one. */
function splitPath(path: string): string[] {
  return path.replace(/\/+$/, '').split('/');
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError('MALFORMED_REQUEST', {
      reason: 'The path has invalid percent-encoding.',
    });
  }
}

function matchesPath(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every(
      (part, index) => part === segments[index] || (SEGMENT.test(part) && segments[index] !== ''),
    )
  );
}

function readParams(pattern: readonly string[], path: string): Record<string, string> {
  const segments = splitPath(path);
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const name = SEGMENT.exec(part)?.[1];
    if (name !== undefined) params[name] = decodeSegment(segments[index] ?? '');
  }
  return params;
}

// A route.

/** Says that this server answered, and from what. */
const SERVER_TIMING = 'mintwire;desc="answered from this server\'s own index"';

interface CompatOptions extends BindOptions {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
}

/** Of a route that asks nothing. */
const PLAIN: Passage = { cost: COSTS.read, access: 'public', scope: 'data', isWrite: false };

function pickPassage({ asks, method }: CompatRoute): Passage {
  if (asks === null) return PLAIN;
  // A POST of ours may be their GET.
  return { ...readPassage(asks), scope: findKeyScope(asks), isWrite: method !== 'GET' };
}

function bindRoute(
  { route, pattern }: { readonly route: CompatRoute; readonly pattern: readonly string[] },
  { tools, kept }: { readonly tools: AskTools; readonly kept: KeptAnswers },
  options: CompatOptions,
): ExchangeHandler {
  const passage = pickPassage(route);
  const cacheControl = route.asks?.cacheControl ?? 'public, max-age=60';
  const isNamed = isShared({ cacheControl });

  async function readRequest(exchange: Exchange): Promise<CompatRequest> {
    const body = route.method === 'POST' ? parseJsonObject(await readJsonBytes(exchange)) : {};
    const query = new URLSearchParams(exchange.query ?? '');
    return { params: readParams(pattern, exchange.path), query, body };
  }

  async function make(exchange: Exchange, inquiry: Inquiry): Promise<ReadyAnswer> {
    const body = await route.answer(await readRequest(exchange), inquiry.ask as Ask);
    const made = buildReadyAnswer(Buffer.from(JSON.stringify(body)));
    const answer = isNamed ? made : { ...made, etag: null };
    const { url = '' } = exchange.request;
    const isKept = inquiry.isKept && route.method === 'GET' && url.length <= KEPT_URL_LENGTH_MAX;
    if (isKept) kept.set(url, { asked: inquiry.asked, answer });
    return answer;
  }

  /** A promise unless the answer is kept. */
  function work(exchange: Exchange): ReadyAnswer | Promise<ReadyAnswer> {
    const context = new RequestContext(exchange, options);
    const inquiry = new Inquiry(tools, context, passage.cost);
    const known = route.method === 'GET' ? kept.get(exchange.request.url ?? '') : undefined;
    const isKept = known === undefined ? false : inquiry.isUnchanged(known);
    if (known === undefined || isKept === false) return make(exchange, inquiry);
    if (isKept === true) return known.answer;
    return isKept.then((isSo) => (isSo ? known.answer : make(exchange, inquiry)));
  }

  function finish(exchange: Exchange, answer: ReadyAnswer): void | Promise<void> {
    chargeReturned(exchange, options);
    exchange.addHeader('content-type', 'application/json; charset=utf-8');
    exchange.addHeader('cache-control', cacheControl);
    exchange.addHeader('vary', 'Accept-Encoding');
    return exchange.sendReady(200, answer, true);
  }

  return (exchange) => {
    adoptCredential(exchange);
    const admission = admit(exchange, passage, options);
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

// All of them.

/** The parts of a route that the router completes with OPTIONS, HEAD and 405. */
interface CompatBound {
  readonly operation: string;
  readonly method: CompatRoute['method'];
  readonly restrict: (exchange: Exchange) => void;
  readonly answer: ExchangeHandler;
}

interface BoundShape<Found> {
  readonly prefix: string;
  readonly notFound: Found;
  readonly routes: readonly { readonly pattern: readonly string[]; readonly found: Found }[];
}

export const COMPAT_PREFIX = '/compat/';
const PATHS_KEPT = 1000;
const PATH_LENGTH_MAX = 512;

/** Browsers may send any header except `Authorization`: a key must not be in a page. */
function answersAs(shape: CompatShape): (exchange: Exchange) => void {
  const encodeError = (error: AppError, requestId: string): CompatReply =>
    error instanceof CompatRefusal ? error.reply : shape.encodeError(error, requestId);
  return (exchange) => {
    exchange.encodeError = encodeError;
    exchange.addHeader('server-timing', SERVER_TIMING);
  };
}

/**
 * Finds what is at a path; null below no shape. `complete` makes the router's form of a route, or
 * of a path of the shape that has none.
 */
export function createCompatFinder<Found>(
  shapes: readonly CompatShape[],
  options: CompatOptions,
  complete: {
    route(bound: CompatBound): Found;
    notFound(restrict: CompatBound['restrict']): Found;
  },
): (path: string) => Found | null {
  const shared = { tools: createAskTools(options.handlers), kept: createKeptAnswers() };
  const bound = shapes.map((shape): BoundShape<Found> => {
    const restrict = answersAs(shape);
    const routes = shape.routes.map((route) => {
      const pattern = splitPath(`${shape.prefix}${route.path}`);
      const answer = bindRoute({ route, pattern }, shared, options);
      const { id: operation, method } = route;
      return { pattern, found: complete.route({ operation, method, restrict, answer }) };
    });
    return { prefix: `${shape.prefix}/`, routes, notFound: complete.notFound(restrict) };
  });
  const kept = new BoundedMap<string, Found | null>(PATHS_KEPT);
  const find = (path: string): Found | null => {
    const shape = bound.find(({ prefix }) => path.startsWith(prefix));
    if (shape === undefined) return null;
    const segments = splitPath(path);
    const route = shape.routes.find(({ pattern }) => matchesPath(pattern, segments));
    return route?.found ?? shape.notFound;
  };
  return (path) => {
    const known = kept.get(path);
    if (known !== undefined) return known;
    const found = find(path);
    if (path.length <= PATH_LENGTH_MAX) kept.set(path, found);
    return found;
  };
}
