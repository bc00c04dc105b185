// Checks a response against the document: status, type, body, headers, and leaks.

import { EventParser } from '../stream-fold.ts';
import { checkMcpAnswer } from './check-mcp-answer.ts';
import type { ApiDocument, DeclaredAnswer, DocumentOperation } from './openapi-document.ts';
import type { FuzzAnswer, FuzzRequest } from './send-request.ts';

/** Rejected before there is a route, a caller or a budget. */
const BEFORE_ROUTES = new Set([
  'URI_TOO_LONG',
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'OVERLOADED',
]);

/**
 * Operations that call a node, for which 503 is allowed. Anywhere else, and if the store is the
 * cause, a 503 is an error in disguise: our store works.
 */
const ASKS_NODES = new Set([
  'verifyChallenge',
  'buildTrade',
  'getTrade',
  'getTradeStatus',
  'getReady',
]);

/** Internals that no response may show. */
const INTERNALS: readonly RegExp[] = [
  /\bat [\w.<>[\] ]+ \(?(?:file:|node:|\/)[^\s]*:\d+/,
  /\/(?:src|node_modules|home|work|tmp)\/[\w./-]+/,
  /\.ts:\d+/,
  /\bSQLITE_|\bsqlite error|syntax error at or near|relation "|violates .* constraint/i,
  /\b(?:SELECT|INSERT|UPDATE|DELETE)\b[^"]{1,80}\b(?:FROM|INTO|SET|WHERE)\b/,
  /\b(?:TypeError|RangeError|ReferenceError|SyntaxError)\b/,
  /\bE(?:CONNREFUSED|CONNRESET|NOENT|ACCES|PIPE)\b/,
  /Cannot read propert|is not a function|undefined is not/,
];

interface Place {
  readonly operation: DocumentOperation | null;
  readonly isKnownPath: boolean;
}

function findPlace(request: FuzzRequest, document: ApiDocument): Place {
  const [target = ''] = request.target.split('?', 1);
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return { operation: document.find(method, path), isKnownPath: document.hasPath(path) };
}

/** The name in the tallies. */
export function nameOperation(request: FuzzRequest, document: ApiDocument): string {
  const { operation, isKnownPath } = findPlace(request, document);
  if (operation !== null) return operation.id;
  return isKnownPath ? 'other method' : 'other path';
}

function parseJson(body: Buffer): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return null;
  }
}

function* checkProblem(answer: FuzzAnswer): Generator<string> {
  const parsed = parseJson(answer.body);
  if (parsed === null) return yield 'the problem is not JSON';
  const problem = parsed.value as Record<string, unknown>;
  if (problem['status'] !== answer.status) yield "the problem's status is not the answer's";
  if (problem['requestId'] !== answer.headers['x-request-id']) {
    yield "the problem's requestId is not X-Request-Id";
  }
  if (problem['code'] === undefined) yield 'the problem has no code';
}

const codes = new WeakMap<FuzzAnswer, string>();

/** The code of a problem; empty if the response is not one. */
function readCode(answer: FuzzAnswer): string {
  const code = codes.get(answer) ?? parseCode(answer);
  codes.set(answer, code);
  return code;
}

function parseCode(answer: FuzzAnswer): string {
  if (!answer.headers['content-type']?.startsWith('application/problem+json')) return '';
  const value = parseJson(answer.body)?.value as { code?: unknown } | undefined;
  return typeof value?.code === 'string' ? value.code : '';
}

/** Whether it was rejected before there was a caller to charge; such a connection may be closed. */
function isBeforeRoutes(answer: FuzzAnswer): boolean {
  const code = readCode(answer);
  const isClosed = answer.headers.connection === 'close';
  return BEFORE_ROUTES.has(code) || (code === 'MALFORMED_REQUEST' && isClosed);
}

function* checkEvents(answer: FuzzAnswer, declared: DeclaredAnswer): Generator<string> {
  const check = declared.content.get('text/event-stream');
  const parser = new EventParser();
  let events: ReturnType<EventParser['push']>;
  try {
    events = parser.push(answer.body.toString('utf8'));
  } catch {
    return yield 'an event is not JSON';
  }
  for (const { event, data } of events) {
    if (event === '') continue;
    const fault = check?.({ [event]: data }) ?? null;
    if (fault !== null) yield `the event ${event}: ${fault}`;
  }
}

/** Checks the body against the operation's schema for that status and type. */
function* checkBody(
  answer: FuzzAnswer,
  declared: DeclaredAnswer,
  isHead: boolean,
): Generator<string> {
  const mediaType = (answer.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  if (declared.content.size === 0 || isHead) {
    if (answer.body.length > 0) yield `${answer.status} has a body`;
    return;
  }
  const check = declared.content.get(mediaType);
  if (check === undefined) return yield `${answer.status} as ${mediaType || 'no type'} undeclared`;
  if (mediaType === 'text/event-stream') return yield* checkEvents(answer, declared);
  if (!mediaType.endsWith('json')) {
    if (answer.body.length === 0) yield 'the text is empty';
    return;
  }
  const parsed = parseJson(answer.body);
  if (parsed === null) return yield 'the body is not JSON';
  const fault = check(parsed.value);
  if (fault !== null) yield `${answer.status} does not match its schema: ${fault}`;
  const code = readCode(answer);
  if (code !== '' && !declared.codes.has(code)) yield `${answer.status} ${code} undeclared`;
}

const RATE_LIMIT = /^"(?:anonymous|key|session|ip)";r=\d+;t=\d+$/;
const RATE_LIMIT_POLICY = /^"(?:anonymous|key|session|ip)";q=\d+;w=\d+$/;

function* checkHeaders(answer: FuzzAnswer, operation: DocumentOperation | null) {
  const { status, headers } = answer;
  const code = readCode(answer);
  if (!headers['x-request-id']) yield 'X-Request-Id is missing';
  if (headers['x-injected'] !== undefined) yield 'a header was injected';
  if (headers['x-content-type-options'] !== 'nosniff') yield 'nosniff is missing';
  if (status === 401 && !headers['www-authenticate']) yield '401 without WWW-Authenticate';
  if (status === 405 && !headers.allow) yield '405 without Allow';
  if (status >= 400 && headers['cache-control'] !== 'no-store') yield 'an error that may be cached';
  if (status === 429 || status === 503) {
    if (!/^[1-9]\d*$/.test(headers['retry-after'] ?? '')) yield `${status} without Retry-After`;
  }
  const limit = String(headers['ratelimit'] ?? '');
  if (code === 'RATE_LIMITED' && limit.split(';t=')[1] !== headers['retry-after']) {
    yield 'Retry-After and RateLimit disagree';
  }
  if (!operation?.isMetered || isBeforeRoutes(answer)) return;
  if (!RATE_LIMIT.test(limit)) yield `${status} ${code} with RateLimit ${limit || 'missing'}`;
  const policy = String(headers['ratelimit-policy'] ?? '');
  if (!RATE_LIMIT_POLICY.test(policy))
    yield `${status} with RateLimit-Policy ${policy || 'missing'}`;
}

function* checkServerError(answer: FuzzAnswer, operation: DocumentOperation | null) {
  const { status } = answer;
  if (status < 500) return;
  const code = readCode(answer);
  // A statement that the store rejects, which is our bug, is reported as such.
  const isOfStore = code === 'UPSTREAM_UNAVAILABLE' && /"The store /.test(answer.body.toString());
  const mayWait = code === 'OVERLOADED' || code === 'LOOKUP_PENDING';
  const mayFail = mayWait || ASKS_NODES.has(operation?.id ?? '');
  if (status !== 503) yield `${status} ${code}`;
  else if (!mayFail || isOfStore) yield `503 ${code}`;
}

/** Secrets of the request that the response repeats. */
function* checkEcho(request: FuzzRequest, answer: FuzzAnswer): Generator<string> {
  const text = answer.body.toString('utf8');
  for (const [name, value] of request.headers) {
    if (!/^(authorization|cookie)$/i.test(name)) continue;
    for (const [secret] of value.matchAll(/mw_(?:live|sess)_\w{20,}|[0-9a-f]{64}/g)) {
      if (text.includes(secret)) yield 'a credential is shown again';
    }
  }
}

function* checkInternals(answer: FuzzAnswer): Generator<string> {
  if (!(answer.headers['content-type'] ?? '').includes('json')) return;
  const text = answer.body.toString('utf8');
  for (const pattern of INTERNALS) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined && answer.status >= 400) yield `internals: ${found.slice(0, 60)}`;
  }
}

/** Responses to requests that no operation handles. */
/** The pages that the console has beside the API. */
const CONSOLE_PAGES = /^\/(?:token|portfolio|keys|webhooks|status)?(?:\?|$)/;

function* checkOther(request: FuzzRequest, answer: FuzzAnswer, isKnownPath: boolean) {
  const { status } = answer;
  const code = readCode(answer);
  const outcome = `${request.method} ${status} ${code}`;
  if (isBeforeRoutes(answer) || code === 'RATE_LIMITED') return;
  if (CONSOLE_PAGES.test(request.target) && status === 200) return;
  if (request.method === 'OPTIONS' && isKnownPath) {
    if (status !== 204 || answer.body.length > 0) yield `${outcome} to a preflight`;
  } else if (isKnownPath) {
    if (code !== 'METHOD_NOT_ALLOWED' && request.method !== 'HEAD') yield `${outcome}, not 405`;
    if (request.method === 'HEAD' && status !== 405) yield `${outcome}, not 405`;
  } else if (status !== 404 && status !== 400 && status !== 405 && status !== 302) {
    yield `${outcome} for a path that is not there`;
  }
}

/** All faults of a response; empty if there are none. */
export function checkAnswer(
  request: FuzzRequest,
  answer: FuzzAnswer,
  document: ApiDocument,
): string[] {
  const { operation, isKnownPath } = findPlace(request, document);
  const faults = [
    ...checkServerError(answer, operation),
    ...checkHeaders(answer, operation),
    ...checkEcho(request, answer),
    ...checkInternals(answer),
  ];
  const isHead = request.method === 'HEAD';
  if (readCode(answer) !== '' && !isHead) faults.push(...checkProblem(answer));
  if (operation === null) return [...faults, ...checkOther(request, answer, isKnownPath)];
  const declared = operation.answers.get(answer.status);
  if (declared === undefined) faults.push(`${answer.status} ${readCode(answer)} undeclared`);
  else faults.push(...checkBody(answer, declared, isHead));
  if (operation.id === 'callMcp' && readCode(answer) === '') {
    faults.push(...checkMcpAnswer(request, answer));
  }
  return faults;
}
