// Sends GETs to URLs that others name: only https is used, and only public addresses are connected
// to; each redirect is checked like the first URL.

import { lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../lib/ip-address.ts';

const REDIRECTS_MAX = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** There is nothing usable at this place, and asking again would not help. */
export class FetchRefusedError extends Error {
  override readonly name = 'FetchRefusedError';
}

interface UrlReply {
  readonly status: number;
  readonly location: string | null;
  readonly etag: string | null;
  readonly body: AsyncIterable<Buffer>;
  /** Ends the connection; the body need not have been read. */
  close(): void;
}

interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The operator named this origin, so it may be private or without https. */
  readonly isTrusted: boolean;
}

/** Sends a GET, and follows no redirect. Throws a `FetchRefusedError` for a private address. */
export type SendGet = (url: URL, options: RequestOptions) => Promise<UrlReply>;

/** As the connection asks for it, so that what was checked is what is connected to. */
const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, '');
    if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address))) {
      return callback(new FetchRefusedError(`${hostname} is not a public host`), '');
    }
    if (options.all) return callback(null, found);
    const [first] = found;
    callback(null, first?.address ?? '', first?.family);
  });
};

const sendGet: SendGet = (url, { headers, signal, isTrusted }) => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // An address needs no lookup, so it is checked here.
  if (!isTrusted && isIP(host) !== 0 && !isPublicAddress(host)) {
    return Promise.reject(new FetchRefusedError(`${host} is not a public address`));
  }
  const request = url.protocol === 'http:' ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    const guard = isTrusted ? {} : { lookup: lookUpPublic };
    const options = { headers, signal, ...guard, agent: false } as const;
    const sent = request(url, options, (reply: IncomingMessage) => {
      resolve({
        status: reply.statusCode ?? 0,
        location: reply.headers.location ?? null,
        etag: reply.headers.etag ?? null,
        body: reply,
        close: () => reply.destroy(),
      });
    });
    sent.once('error', reject);
    sent.end();
  });
};

function checkUrl(url: URL | null): asserts url is URL {
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new FetchRefusedError('it is not a URL with https');
  }
}

/** Follows a few redirects. The caller closes the reply. Throws a `FetchRefusedError`. */
export async function openUrl(
  text: string,
  options: Omit<RequestOptions, 'isTrusted'> & {
    /** The origin of a URL that the operator named. */
    readonly trustedOrigin?: string;
    readonly sendGet?: SendGet;
  },
): Promise<UrlReply> {
  const { headers, signal, trustedOrigin } = options;
  const send = options.sendGet ?? sendGet;
  let place = text;
  let base: string | undefined;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const url = URL.canParse(place, base) ? new URL(place, base) : null;
    const isTrusted = url !== null && url.origin === trustedOrigin;
    if (!isTrusted) checkUrl(url);
    const reply = await send(url, { headers, signal, isTrusted });
    if (!REDIRECTS.includes(reply.status) || reply.location === null) return reply;
    reply.close();
    place = reply.location;
    base = url.href;
  }
  throw new FetchRefusedError(`it redirects more than ${REDIRECTS_MAX} times`);
}
