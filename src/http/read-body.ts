// A request's JSON body, bounded and decoded strictly.

import type { IncomingMessage } from 'node:http';
import { AppError, toInvalidInput } from '../errors/app-error.ts';
import { findDuplicateKey } from '../lib/find-duplicate-key.ts';
import { toShownText } from '../lib/shown-text.ts';
import { BODY_BYTES_MAX } from './problem.ts';

/** Keeps a byte order mark, which JSON must not have. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function tooLarge(): AppError {
  return new AppError('BODY_TOO_LARGE', { limitBytes: BODY_BYTES_MAX });
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One without any body is over from the start, and says nothing more.
    if (request.readableEnded) {
      resolve(Buffer.alloc(0));
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    let isWhole = false;
    const cut = () => {
      // A request that was read in full closes, too; an error is too dear to be made for that.
      if (isWhole) return;
      reject(
        new AppError('MALFORMED_REQUEST', {
          reason: 'The body is shorter than its Content-Length.',
        }),
      );
    };
    // The client may have gone while its credentials were looked up.
    if (request.destroyed) cut();
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > BODY_BYTES_MAX) {
        // What still comes is thrown away as it arrives, so that the client can read its answer.
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
    throw toInvalidInput([{ path: 'body', message: toFault(bytes, text) }]);
  }
  const twice = findDuplicateKey(text);
  if (twice === null) return value;
  throw toInvalidInput([{ path: toShownText(twice), message: 'must be given once' }]);
}

function toFault(bytes: Buffer, text: string): string {
  if (bytes.length === 0) return 'must not be empty';
  if (text.startsWith('\ufeff')) return 'must not begin with a byte order mark';
  return 'must be valid JSON in UTF-8';
}

/** The bytes of a body that says it is JSON, as they came. */
export function readJsonBytes(request: IncomingMessage): Promise<Buffer> {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new AppError('UNSUPPORTED_MEDIA_TYPE', {});
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw tooLarge();
  return readBytes(request);
}

/** The body as a JSON object. A field called `__proto__` is a field: the schema refuses it. */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const value = parseJson(await readJsonBytes(request));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw toInvalidInput([{ path: 'body', message: 'must be a JSON object' }]);
  }
  return value as Record<string, unknown>;
}
