// Headers that every answer has, errors included: what browsers may do with it.

import type { Exchange } from './exchange.ts';

/** Headers that a page from another origin may read. */
const EXPOSED = 'Retry-After, RateLimit, RateLimit-Policy, ETag, X-Request-Id';

/** Any page may read, and none is sent credentials for it. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Whether pages of this origin may use sessions. */
export type IsAllowedOrigin = (origin: string | null) => boolean;

/** The page that a browser says it is on; `null` as text is what hidden places call themselves. */
export function readOrigin(exchange: Exchange): string | null {
  return exchange.request.headers.origin ?? null;
}

/** Pages that may use sessions get the answer with credentials, others nothing. */
export function restrictToOwnPages(exchange: Exchange, isAllowed: IsAllowedOrigin): void {
  const origin = readOrigin(exchange);
  exchange.setHeader('cross-origin-resource-policy', 'same-origin');
  exchange.setHeader('vary', 'Origin');
  if (origin !== null && isAllowed(origin)) {
    exchange.setHeader('access-control-allow-origin', origin);
    exchange.setHeader('access-control-allow-credentials', 'true');
  } else {
    exchange.removeHeader('access-control-allow-origin');
    exchange.removeHeader('access-control-expose-headers');
  }
}

/** `Authorization` is missing on purpose: a key does not belong in a page. */
const ALLOWED_HEADERS =
  'Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name';

export function toPreflightHeaders(methods: readonly string[]): Readonly<Record<string, string>> {
  return {
    allow: methods.join(', '),
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': '7200',
  };
}
