// CORS headers: which pages may read a response, and what they may send.

import type { Exchange } from './exchange.ts';

/** Whether pages of this origin may use sessions. */
export type IsAllowedOrigin = (origin: string | null) => boolean;

/** The `Origin` header; browsers send the text `null` for opaque origins. */
export function readOrigin(exchange: Exchange): string | null {
  return exchange.request.headers.origin ?? null;
}

/** Allowed pages get the response with credentials, others get no CORS headers. */
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

/** `Authorization` is left out on purpose: a key must not be in a page. */
const ALLOWED_HEADERS =
  'Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name';

/** `allowedHeaders` may be `*`, which does not mean `Authorization` either. */
export function buildPreflightHeaders(
  methods: readonly string[],
  allowedHeaders = ALLOWED_HEADERS,
): Readonly<Record<string, string>> {
  return {
    allow: methods.join(', '),
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '7200',
  };
}
