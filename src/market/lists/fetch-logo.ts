// Fetches an image that a token list names. Anybody may have written the list, so only public
// places are asked, and only small images are accepted.

import type { IMAGE_TYPES } from '../../contract/operation.ts';
import { FetchRefusedError, openUrl, type SendGet } from './open-url.ts';

// The type of an image by its first bytes: what a server calls it decides nothing. SVG is left out,
// because it can have scripts.

type ImageType = (typeof IMAGE_TYPES)[number];

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');

/** Null if it is no image of these types. */
function sniffImage(bytes: Buffer): ImageType | null {
  const startsWith = (start: Buffer) => bytes.subarray(0, start.length).equals(start);
  if (startsWith(PNG)) return 'image/png';
  if (startsWith(JPEG)) return 'image/jpeg';
  const head = bytes.toString('latin1', 0, 12);
  if (/^RIFF....WEBP$/s.test(head)) return 'image/webp';
  return /^GIF8[79]a/.test(head) ? 'image/gif' : null;
}

export const LOGO_BYTES_MAX = 512 * 1024;
const TIMEOUT_MS = 10_000;

export interface LogoImage {
  readonly type: ImageType;
  readonly bytes: Buffer;
}

async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LOGO_BYTES_MAX) throw new FetchRefusedError(`it has over ${LOGO_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Throws a `FetchRefusedError` for bytes that are no image. */
export function parseImage(bytes: Buffer): LogoImage {
  const type = sniffImage(bytes);
  if (type === null) throw new FetchRefusedError('it is not a PNG, JPEG, WebP or GIF image');
  return { type, bytes };
}

function checkStatus(status: number): void {
  if (status === 200) return;
  // Anything else may pass: a limit, a server that blocks for a while, a fault of the server.
  const isGone = status === 404 || status === 410 || status === 415;
  const message = `the server answered with status ${status}`;
  throw isGone ? new FetchRefusedError(message) : new Error(message);
}

/** Throws a `FetchRefusedError`, or another error if it may work later. */
export async function fetchLogo(
  url: string,
  options: { readonly signal: AbortSignal; readonly sendGet?: SendGet },
): Promise<LogoImage> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = { accept: 'image/png, image/jpeg, image/webp, image/gif' };
  const reply = await openUrl(url, { ...options, headers, signal });
  try {
    checkStatus(reply.status);
    return parseImage(await readBody(reply.body));
  } finally {
    reply.close();
  }
}
