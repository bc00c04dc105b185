// Checks of a request's head beyond those of Node's parser: RFC 9112, 3.2 and 6.1.

import type { IncomingMessage } from 'node:http';

/**
 * A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986, 3.2.2).
 */
const HOST = /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+|\[[\da-f:.]{2,45}\])(?::\d{0,5})?$/i;

/** Most clients send the same host, so it need not be matched again. */
let lastValidHost: string | null = null;

function isValidHost(host: string): boolean {
  if (host === lastValidHost) return true;
  if (!HOST.test(host)) return false;
  lastValidHost = host;
  return true;
}

/** Node keeps only the first `Host` field, so the raw fields are counted. */
function hasTwoHosts(fields: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}

function findHostFault(request: IncomingMessage): string | null {
  const { host } = request.headers;
  if (host === undefined) {
    return request.httpVersion === '1.1' ? 'The Host header is missing.' : null;
  }
  if (!isValidHost(host)) return 'The Host header is invalid.';
  return hasTwoHosts(request.rawHeaders) ? 'The Host header must be given once.' : null;
}

function findCodingFault(request: IncomingMessage): string | null {
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined) return null;
  if (coding.toLowerCase() !== 'chunked') return 'Transfer-Encoding must be "chunked" alone.';
  // An HTTP/1.0 proxy ignores the field and may end the body elsewhere (request smuggling).
  return request.httpVersion === '1.1' ? null : 'Transfer-Encoding needs HTTP/1.1.';
}

/** Why the request cannot be trusted, as a text for its sender; null if it is fine. */
export function findHeadFault(request: IncomingMessage): string | null {
  return findHostFault(request) ?? findCodingFault(request);
}
