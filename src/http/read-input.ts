// Reads the input of an operation: the query of a GET or DELETE, the body of a POST.

import type { Operation } from '../contract/operation.ts';
import { createInputParser } from '../contract/parse-input.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Exchange } from './exchange.ts';
import { parseQueryString } from './query-string.ts';
import { parseJsonObject, readJsonBytes } from './read-body.ts';

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

export function createInputReader(operation: Operation): (exchange: Exchange) => unknown {
  if (operation.method === 'POST') {
    const read = createBodyReader(operation);
    return async (exchange) => {
      if (exchange.query !== null) {
        throw buildInvalidInputError([
          { path: 'query', message: 'must be empty; send a JSON body' },
        ]);
      }
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
