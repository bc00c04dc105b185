// Path and method → route: by a map, and the few paths with parameters one after the other.

import type { CompatShape } from '../contract/compat-route.ts';
import type { AnyHandler, RawHandler, RawRequest, StreamHandler } from '../contract/handler.ts';
import type { Operation } from '../contract/operation.ts';
import { createPathMatcher, listPathParameters } from '../contract/path-parameters.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import {
  admit,
  type BindOptions,
  bindOperation,
  type ExchangeHandler,
  readPassage,
  withTimeout,
} from './bind.ts';
import { COMPAT_PREFIX, createCompatFinder } from './bind-compat.ts';
import { bindStreamOperation } from './bind-stream.ts';
import { accepts, COMPRESSED_BYTES_MIN, gzipParts, pickEncoding } from './compress-body.ts';
import type { Exchange } from './exchange.ts';
import { Refusal } from './problem.ts';
import { readJsonBytes } from './read-body.ts';
import { chargeReturned, createWorkContext } from './request-context.ts';
import { buildPreflightHeaders, readOrigin, restrictToOwnPages } from './response-headers.ts';
import { type FindFile, sendFile, setPageHeaders } from './static-files.ts';

// Binds an operation that reads its own body to a route: admission, bytes, handler, response.

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

function bindRawOperation(
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

interface HttpRoute {
  /** The name of the route in the log and the metrics. */
  readonly operation: string;
  /** Sets which pages may read the responses, errors included; any page if missing. */
  readonly restrict?: (exchange: Exchange) => void;
  readonly answer: ExchangeHandler;
}

type FindRoute = (method: string, path: string) => HttpRoute;

export interface RouterOptions extends BindOptions {
  readonly operations: readonly Operation[];
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** The console's files, which may be replaced while the server runs; none if missing. */
  readonly findFile?: FindFile;
  /** Routes in the shape of other APIs, below `/compat/`. */
  readonly compat?: readonly CompatShape[];
}

/** `/` leads to the reference only while there is no console. */
const REDIRECTED_PATHS = ['/', '/docs', '/v1', '/v1/'];

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Responds with 404 first; the request still counts toward the budget of its address. */
function createUnmetered(options: BindOptions, answer: ExchangeHandler): ExchangeHandler {
  return (exchange) => {
    options.gate.charge(options.readAddressGroup(exchange.request));
    return answer(exchange);
  };
}

/** For requests that no operation handles; the budget of their address applies. */
function createCeiled(options: BindOptions, answer: (exchange: Exchange) => void): ExchangeHandler {
  return (exchange) => {
    options.gate.chargeOrRefuse(options.readAddressGroup(exchange.request));
    answer(exchange);
  };
}

/** Whether a person follows a link: programs, and pages that ask for a part, get the problem. */
function isPageWanted({ path, request }: Exchange): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isForPage = !/^\/(?:v1|assets|compat)(?:\/|$)/.test(path);
  return isRead && isForPage && (request.headers.accept ?? '').includes('text/html');
}

function createNotFound(options: RouterOptions): HttpRoute {
  return {
    operation: 'unknown',
    answer: createUnmetered(options, (exchange) => {
      if (!isDecodable(exchange.path)) {
        const reason = 'The path has invalid percent-encoding.';
        throw new AppError('MALFORMED_REQUEST', { reason });
      }
      // The console's page finds that it has nothing for the path, and says what to do.
      const page = isPageWanted(exchange) ? (options.findFile?.('/') ?? null) : null;
      if (page === null) throw new AppError('ROUTE_NOT_FOUND', {});
      setPageHeaders(exchange);
      return sendFile(exchange, page, 404);
    }),
  };
}

function createWrongMethod(options: BindOptions, allow: string): HttpRoute {
  return {
    operation: 'unknown',
    answer: createUnmetered(options, () => {
      throw new AppError('METHOD_NOT_ALLOWED', { allow }, { headers: { Allow: allow } });
    }),
  };
}

function createPreflight(
  options: BindOptions,
  methods: readonly string[],
  allowedHeaders?: string,
): HttpRoute {
  const headers = Object.entries(buildPreflightHeaders(methods, allowedHeaders));
  return {
    operation: 'preflight',
    answer: createCeiled(options, (exchange) => {
      for (const [name, value] of headers) exchange.addHeader(name, value);
      exchange.send(204, null);
    }),
  };
}

interface PathRoutes {
  readonly byMethod: Map<string, HttpRoute>;
  wrongMethod: HttpRoute;
}

/** Adds to every path: OPTIONS, HEAD, and 405 for the rest. */
function completePath(
  routes: Map<string, HttpRoute>,
  options: BindOptions,
  allowedHeaders?: string,
): PathRoutes {
  const get = routes.get('GET');
  if (get) routes.set('HEAD', get);
  const methods = [...routes.keys(), 'OPTIONS'].sort();
  // All operations of one path allow the same pages.
  const { restrict } = [...routes.values()][0] ?? {};
  const alike = (route: HttpRoute): HttpRoute => (restrict ? { ...route, restrict } : route);
  routes.set('OPTIONS', alike(createPreflight(options, methods, allowedHeaders)));
  const wrongMethod = alike(createWrongMethod(options, methods.join(', ')));
  return { byMethod: routes, wrongMethod };
}

/** The routes of every file: its path says which one. */
function createFileRoutes(options: RouterOptions): PathRoutes {
  const answer = (exchange: Exchange) => {
    options.gate.chargeOrRefuse(options.readAddressGroup(exchange.request));
    const file = options.findFile?.(exchange.path) ?? null;
    if (file === null) throw new AppError('ROUTE_NOT_FOUND', {});
    return sendFile(exchange, file);
  };
  const get: HttpRoute = { operation: 'file', restrict: setPageHeaders, answer };
  return completePath(new Map([['GET', get]]), options);
}

/** Clients of other APIs send headers that nobody here knows. */
function createCompatRoutes(options: RouterOptions): (path: string) => PathRoutes | null {
  return createCompatFinder<PathRoutes>(options.compat ?? [], options, {
    route: ({ method, ...route }) => completePath(new Map([[method, route]]), options, '*'),
    notFound: (restrict) => ({
      byMethod: new Map(),
      wrongMethod: { ...createNotFound(options), restrict },
    }),
  });
}

function pickBind(operation: Operation) {
  if (operation.isRaw) return bindRawOperation;
  return operation.mediaType === 'text/event-stream' ? bindStreamOperation : bindOperation;
}

export function createRouter(options: RouterOptions): FindRoute {
  const methodsByPath = new Map<string, Map<string, HttpRoute>>();
  function add(path: string, method: string, route: HttpRoute): void {
    const methods = methodsByPath.get(path) ?? new Map<string, HttpRoute>();
    methods.set(method, route);
    methodsByPath.set(path, methods);
  }
  const restrict = (exchange: Exchange) => restrictToOwnPages(exchange, options.isAllowedOrigin);
  for (const operation of options.operations) {
    const handler = options.handlers[operation.id];
    if (!handler) throw new Error(`operation ${operation.id} has no handler`);
    const bind = pickBind(operation);
    const answer = bind(operation, handler as RawHandler & AnyHandler & StreamHandler, options);
    const route: HttpRoute = { operation: operation.id, answer };
    const isOwn = operation.pages === 'own';
    add(`/v1${operation.path}`, operation.method, isOwn ? { ...route, restrict } : route);
  }
  const redirect = createCeiled(options, (exchange) => {
    exchange.addHeader('location', '/v1/docs');
    exchange.send(302, '');
  });
  for (const path of REDIRECTED_PATHS) {
    add(path, 'GET', { operation: 'redirect', answer: redirect });
  }
  const routesByPath = new Map(
    [...methodsByPath].map(([path, routes]) => [path, completePath(routes, options)]),
  );
  const templates = [...routesByPath]
    .filter(([path]) => listPathParameters(path).length > 0)
    .map(([path, routes]) => ({ matches: createPathMatcher(path), routes }));
  const findByTemplate = (path: string) =>
    templates.find(({ matches }) => matches(path) !== null)?.routes;
  const { findFile = () => null } = options;
  const fileRoutes = createFileRoutes(options);
  const hasFile = (path: string) => !path.startsWith('/v1') && findFile(path) !== null;
  const notFound = createNotFound(options);
  const findCompat = createCompatRoutes(options);
  const findRoutes = (path: string) => {
    if (path.startsWith(COMPAT_PREFIX)) return findCompat(path);
    return hasFile(path) ? fileRoutes : (routesByPath.get(path) ?? findByTemplate(path));
  };
  return (method, path) => {
    const routes = findRoutes(path);
    return routes ? (routes.byMethod.get(method) ?? routes.wrongMethod) : notFound;
  };
}
