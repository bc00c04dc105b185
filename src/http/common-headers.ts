// Headers of every response, errors included: what browsers may do with it.

/** Headers that a page from another origin may read. */
const EXPOSED = 'Retry-After, RateLimit, RateLimit-Policy, ETag, X-Request-Id';

/** Any page may read, without credentials. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
