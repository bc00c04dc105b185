// Headers that depend on the page an answer goes to: who may read it, and what may be sent.

import type { Exchange } from './exchange.ts';

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
