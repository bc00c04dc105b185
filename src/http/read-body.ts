// Reads a request's JSON body, bounded and decoded strictly.

import type { IncomingMessage } from 'node:http';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import { findDuplicateKey } from '../lib/find-duplicate-key.ts';
import { toShownText } from '../lib/shown-text.ts';
import { BODY_BYTES_MAX } from './problem.ts';

/** Keeps a byte order mark, so that JSON parsing rejects it. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function tooLarge(): AppError {
  return new AppError('BODY_TOO_LARGE', { limitBytes: BODY_BYTES_MAX });
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A request without a body has already ended and emits no more events.
    if (request.readableEnded) {
      resolve(Buffer.alloc(0));
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    let isWhole = false;
    const cut = () => {
      // `close` also follows a complete request; creating an error for that would be too expensive.
      if (isWhole) return;
      reject(
        new AppError('MALFORMED_REQUEST', {
          reason: 'The body is shorter than its Content-Length.',
        }),
      );
    };
    // The client may have disconnected during the credential lookup.
    if (request.destroyed) cut();
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > BODY_BYTES_MAX) {
        // Further data is discarded, so that the client can read the response.
        chunks.length = 0;
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => {
      isWhole = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('error', cut);
    request.on('close', cut);
  });
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

/** The bytes of a body whose content type is JSON. */
export function readJsonBytes(request: IncomingMessage): Promise<Buffer> {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new AppError('UNSUPPORTED_MEDIA_TYPE', {});
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw tooLarge();
  return readBytes(request);
}

/** The body as a JSON object. A field named `__proto__` stays a field: the schema rejects it. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw buildInvalidInputError([{ path: 'body', message: 'must be a JSON object' }]);
  }
  return value as Record<string, unknown>;
}
