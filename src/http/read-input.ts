// Reads the input of an operation: the query of a GET or DELETE, the body of a POST or PATCH, and
// the parameters in the path.

import { hasBody, type Operation } from '../contract/operation.ts';
import { createInputParser } from '../contract/parse-input.ts';
import { createPathMatcher, listPathParameters } from '../contract/path-parameters.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import { toShownText } from '../lib/clean-text.ts';
import type { Exchange } from './exchange.ts';
import { parseJsonObject, readJsonBytes } from './read-body.ts';

// Parses a query string strictly: bad encoding, repeated fields and too many fields are errors.

const FIELDS_MAX = 120;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new AppError('MALFORMED_REQUEST', {
      reason: 'The query has percent-encoding that is not valid UTF-8.',
    });
  }
}

/** A value that is never rejected; what cannot be decoded is kept unchanged. */
function decodeAnyText(text: string, before: string | undefined): string {
  let value = text;
  try {
    value = decode(text);
  } catch {
    // Not valid text, so it stays as sent.
  }
  return before === undefined ? value : `${before},${value}`;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * `anyText` names the fields that accept any value, even repeated; `lists` those that may be
 * repeated, which is the same as one value with commas.
 */
export function parseQueryString(
  text: string,
  { anyText = NONE, lists = NONE } = {},
): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  if (text === '') return fields;
  const pairs = text.split('&', FIELDS_MAX + 1);
  if (pairs.length > FIELDS_MAX) {
    throw buildInvalidInputError([
      { path: 'query', message: `must have at most ${FIELDS_MAX} fields` },
    ]);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const raw = equals < 0 ? '' : pair.slice(equals + 1);
    if (anyText.has(name)) fields[name] = decodeAnyText(raw, fields[name]);
    else if (lists.has(name) && fields[name] !== undefined) {
      fields[name] = `${fields[name]},${decodeOnce(raw, name, {})}`;
    } else fields[name] = decodeOnce(raw, name, fields);
  }
  return fields;
}

function decodeOnce(text: string, name: string, fields: Readonly<Record<string, string>>): string {
  const value = decode(text);
  const path = toShownText(name);
  if (name in fields) throw buildInvalidInputError([{ path, message: 'must be given once' }]);
  if (!value.includes('\0')) return value;
  throw buildInvalidInputError([{ path, message: 'must not contain null characters' }]);
}

const QUERIES_KEPT = 1000;
const KEPT_LENGTH_MAX = 512;
const BODIES_KEPT = 500;
const KEPT_BODY_BYTES_MAX = 16 * 1024;

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

function assertNoBody(exchange: Exchange): void {
  const { headers } = exchange.request;
  const length = headers['content-length'] ?? '0';
  if (length === '0' && headers['transfer-encoding'] === undefined) return;
  throw buildInvalidInputError([
    { path: 'body', message: 'must be empty; parameters go into the query' },
  ]);
}

function refuseQuery(exchange: Exchange): void {
  if (exchange.query === null) return;
  throw buildInvalidInputError([{ path: 'query', message: 'must be empty; send a JSON body' }]);
}

/** Of an operation with parameters in its path. */
function createPathInputReader(operation: Operation): (exchange: Exchange) => unknown {
  const parse = createInputParser(operation.input, hasBody(operation) ? 'json' : 'text');
  const match = createPathMatcher(`/v1${operation.path}`);
  const join = (exchange: Exchange, fields: Readonly<Record<string, unknown>>) => {
    const inPath = Object.entries(match(exchange.path) ?? {});
    for (const [name] of inPath) {
      if (name in fields) throw buildInvalidInputError([{ path: name, message: 'is in the path' }]);
    }
    return parse({
      ...fields,
      ...Object.fromEntries(inPath.map(([key, raw]) => [key, decode(raw)])),
    });
  };
  if (hasBody(operation)) {
    return async (exchange) => {
      refuseQuery(exchange);
      return join(exchange, parseJsonObject(await readJsonBytes(exchange)));
    };
  }
  return (exchange) => {
    if (operation.method !== 'GET') assertNoBody(exchange);
    return join(exchange, parseQueryString(exchange.query ?? ''));
  };
}

export function createInputReader(operation: Operation): (exchange: Exchange) => unknown {
  if (listPathParameters(operation.path).length > 0) return createPathInputReader(operation);
  if (hasBody(operation)) {
    const read = createBodyReader(operation);
    return async (exchange) => {
      refuseQuery(exchange);
      return read(await readJsonBytes(exchange));
    };
  }
  const read = createQueryReader(operation);
  if (operation.method === 'GET') return (exchange) => read(exchange.query ?? '');
  return (exchange) => {
    assertNoBody(exchange);
    return read(exchange.query ?? '');
  };
}

/** Bodies of reads repeat like queries; those of other operations may have secrets. */
function createBodyReader(operation: Operation): (bytes: Buffer) => unknown {
  const parse = createInputParser(operation.input, 'json');
  const read = (bytes: Buffer) => parse(parseJsonObject(bytes));
  if (operation.cost !== 'read') return read;
  const kept = new BoundedMap<string, unknown>(BODIES_KEPT);
  return (bytes) => {
    // One character for each byte, so that equal keys are equal bodies.
    const key = bytes.toString('latin1');
    const known = kept.get(key);
    if (known !== undefined) return known;
    const input = Object.freeze(read(bytes));
    if (bytes.length <= KEPT_BODY_BYTES_MAX) kept.set(key, input);
    return input;
  };
}

/** Queries repeat, so the last parsed inputs are cached and frozen. */
function createQueryReader(operation: Operation): (query: string) => unknown {
  const parse = createInputParser(operation.input, 'text');
  const anyText = new Set(operation.anyTextFields);
  const isList = (schema: unknown) => (schema as { type?: unknown }).type === 'array';
  const fields = Object.entries(operation.input.properties);
  const lists = new Set(fields.flatMap(([name, schema]) => (isList(schema) ? [name] : [])));
  const kept = new BoundedMap<string, unknown>(QUERIES_KEPT);
  return (query) => {
    const known = kept.get(query);
    if (known !== undefined) return known;
    const input = Object.freeze(parse(parseQueryString(query, { anyText, lists })));
    if (query.length <= KEPT_LENGTH_MAX) kept.set(query, input);
    return input;
  };
}

/** The client's idempotency key; null if there is none. */
export function readIdempotencyKey(exchange: Exchange): string | null {
  const word = exchange.request.headers['idempotency-key'];
  if (word === undefined) return null;
  if (typeof word === 'string' && IDEMPOTENCY_KEY.test(word)) return word;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw buildInvalidInputError([{ path: 'Idempotency-Key', message }]);
}
