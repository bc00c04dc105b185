// Reads a request's JSON body, bounded and decoded strictly.

import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import { toShownText } from '../lib/clean-text.ts';
import { findDuplicateKey } from '../lib/find-duplicate-key.ts';
import type { Exchange } from './exchange.ts';
import { BODY_BYTES_MAX } from './problem.ts';

const CUT = 'The body is shorter than its Content-Length.';

/** Keeps a byte order mark, so that JSON parsing rejects it. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function tooLarge(): AppError {
  return new AppError('BODY_TOO_LARGE', { limitBytes: BODY_BYTES_MAX });
}

function buildOverloadedError(headers: Record<string, string> = {}): AppError {
  return new AppError('OVERLOADED', {}, { retryAfterSeconds: 1, headers });
}

/** A body that takes longer than `bodyMs` must arrive at this rate at least. */
const BYTES_PER_SECOND_MIN = 1024;
const RATE_LOOK_MS = 1000;
/** The rest of a body that is given up is not read. */
const LAST = { Connection: 'close' };

/** Calls back when the body is slower than the minimum rate; returns a function that stops it. */
function watchRate(bodyMs: number, readLength: () => number, onSlow: () => void): () => void {
  let elapsedMs = bodyMs;
  const look = () => {
    if (readLength() * 1000 < elapsedMs * BYTES_PER_SECOND_MIN) {
      onSlow();
      return;
    }
    elapsedMs += RATE_LOOK_MS;
    timer = setTimeout(look, RATE_LOOK_MS);
  };
  let timer = setTimeout(look, bodyMs);
  return () => clearTimeout(timer);
}

function readBytes({ request, addressGroup, tools }: Exchange): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  let isSettled = false;
  const settle = (outcome: () => void) => {
    if (isSettled) return;
    isSettled = true;
    free?.();
    stopWatch?.();
    outcome();
  };
  const fail = (error: AppError) => settle(() => reject(error));
  const drop = () => fail(buildOverloadedError(LAST));
  const free = tools.bodies.take(addressGroup, drop);
  const stopWatch = watchRate(
    tools.bodyMs,
    () => length,
    () => fail(new AppError('REQUEST_TIMEOUT', {}, { headers: LAST })),
  );
  // `close` also follows a complete request; creating an error for that would be too expensive.
  const cut = () => {
    if (!isSettled) fail(new AppError('MALFORMED_REQUEST', { reason: CUT }));
  };
  if (free === null) drop();
  // The client may have disconnected during the credential lookup.
  if (request.destroyed) cut();
  request.on('data', (chunk: Buffer) => {
    // Further data is discarded, so that the client can read the response.
    if (isSettled) return;
    length += chunk.length;
    if (length > BODY_BYTES_MAX) fail(tooLarge());
    else chunks.push(chunk);
  });
  request.on('end', () => {
    settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  });
  request.on('error', cut);
  request.on('close', cut);
  return promise;
}

function parseJson(bytes: Buffer): unknown {
  let text = '';
  let value: unknown;
  try {
    text = decoder.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw buildInvalidInputError([{ path: 'body', message: describeFault(bytes, text) }]);
  }
  const twice = findDuplicateKey(text);
  if (twice === null) return value;
  throw buildInvalidInputError([{ path: toShownText(twice), message: 'must be given once' }]);
}

function describeFault(bytes: Buffer, text: string): string {
  if (bytes.length === 0) return 'must not be empty';
  if (text.startsWith('\ufeff')) return 'must not begin with a byte order mark';
  return 'must be valid JSON in UTF-8';
}

/** The bytes of a body whose content type is JSON; from then on the request counts as work. */
export async function readJsonBytes(exchange: Exchange): Promise<Buffer> {
  const { request, tools } = exchange;
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new AppError('UNSUPPORTED_MEDIA_TYPE', {});
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw tooLarge();
  // A request without a body has already ended and emits no more events.
  const bytes = request.readableEnded ? Buffer.alloc(0) : await readBytes(exchange);
  exchange.beginWork();
  if (tools.pressure.isFull) throw buildOverloadedError();
  return bytes;
}

/** The body as a JSON object. A field named `__proto__` stays a field: the schema rejects it. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw buildInvalidInputError([{ path: 'body', message: 'must be a JSON object' }]);
  }
  return value as Record<string, unknown>;
}
