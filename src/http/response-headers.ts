// Headers that every answer has, errors included: what browsers may do with it.

/** Headers that a page from another origin may read. */
const EXPOSED = 'Retry-After, RateLimit, RateLimit-Policy, ETag, X-Request-Id';

export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** `Authorization` is missing on purpose: a key does not belong in a page. */
export function toPreflightHeaders(methods: readonly string[]): Readonly<Record<string, string>> {
  return {
    allow: methods.join(', '),
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'Content-Type, If-None-Match, Last-Event-ID',
    'access-control-max-age': '7200',
  };
}
