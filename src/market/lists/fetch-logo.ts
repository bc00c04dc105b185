// Fetches an image that a token list names. Anybody may have written the list, so only https is
// used, only public addresses are connected to, and only small images are accepted; each redirect
// is checked like the first URL.

import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../lib/is-public-address.ts';
import { type ImageType, sniffImage } from './sniff-image.ts';

export const LOGO_BYTES_MAX = 512 * 1024;
const REDIRECTS_MAX = 3;
const TIMEOUT_MS = 10_000;

export interface LogoImage {
  readonly type: ImageType;
  readonly bytes: Buffer;
}

/** There is no usable image at this place, and asking again would not help. */
export class LogoRefusedError extends Error {
  override readonly name = 'LogoRefusedError';
}

interface LogoReply {
  readonly status: number;
  readonly location: string | null;
  readonly body: AsyncIterable<Buffer>;
  /** Ends the connection; the body need not have been read. */
  close(): void;
}

/** Sends a GET, and follows no redirect. Throws a `LogoRefusedError` for a private address. */
export type OpenUrl = (url: URL, signal: AbortSignal) => Promise<LogoReply>;

/** As the connection asks for it, so that what was checked is what is connected to. */
const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, '');
    if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address))) {
      return callback(new LogoRefusedError(`${hostname} is not a public host`), '');
    }
    if (options.all) return callback(null, found);
    const [first] = found;
    callback(null, first?.address ?? '', first?.family);
  });
};

const openPublicUrl: OpenUrl = (url, signal) => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // An address needs no lookup, so it is checked here.
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    return Promise.reject(new LogoRefusedError(`${host} is not a public address`));
  }
  return new Promise((resolve, reject) => {
    const headers = { accept: 'image/png, image/jpeg, image/webp, image/gif' };
    const options = { headers, signal, lookup: lookUpPublic, agent: false } as const;
    const sent = request(url, options, (reply: IncomingMessage) => {
      resolve({
        status: reply.statusCode ?? 0,
        location: reply.headers.location ?? null,
        body: reply,
        close: () => reply.destroy(),
      });
    });
    sent.once('error', reject);
    sent.end();
  });
};

function parseUrl(text: string, base?: string): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new LogoRefusedError('it is not a URL with https');
  }
  return url;
}

async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LOGO_BYTES_MAX) throw new LogoRefusedError(`it has over ${LOGO_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Throws a `LogoRefusedError` for bytes that are no image. */
export function parseImage(bytes: Buffer): LogoImage {
  const type = sniffImage(bytes);
  if (type === null) throw new LogoRefusedError('it is not a PNG, JPEG, WebP or GIF image');
  return { type, bytes };
}

function checkStatus(status: number): void {
  if (status === 200) return;
  // Anything else may pass: a limit, a server that blocks for a while, a fault of the server.
  const isGone = status === 404 || status === 410 || status === 415;
  const message = `the server answered with status ${status}`;
  throw isGone ? new LogoRefusedError(message) : new Error(message);
}

/** Throws a `LogoRefusedError`, or another error if it may work later. */
export async function fetchLogo(
  text: string,
  options: { readonly signal: AbortSignal; readonly openUrl?: OpenUrl },
): Promise<LogoImage> {
  const { openUrl = openPublicUrl } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let url = parseUrl(text);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const reply = await openUrl(url, signal);
    try {
      if ([301, 302, 303, 307, 308].includes(reply.status) && reply.location !== null) {
        url = parseUrl(reply.location, url.href);
        continue;
      }
      checkStatus(reply.status);
      return parseImage(await readBody(reply.body));
    } finally {
      reply.close();
    }
  }
  throw new LogoRefusedError(`it redirects more than ${REDIRECTS_MAX} times`);
}
