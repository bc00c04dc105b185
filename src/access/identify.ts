// Credentials → identity. An invalid credential is rejected, never treated as anonymous.

import type { Identity, KeyIdentity, SessionIdentity } from '../contract/identity.ts';
import type { SessionTransport } from '../model/access-record.ts';
import { isPrivateKeyShaped, readTokenKind } from './secret-token.ts';
import { buildUnauthorizedError } from './unauthorized.ts';

export interface Caller {
  readonly authorization: string | undefined;
  /** The value of the session cookie; undefined if there is none. */
  readonly sessionCookie: string | undefined;
  /** The caller's address group, as used by the limiter. */
  readonly addressGroup: string;
}

/** Synchronous if the credential is cached. */
export type Identify = (caller: Caller) => Identity | Promise<Identity>;

/** Look tokens up; null for a token that is malformed, unknown or no longer valid. */
interface Authenticators {
  key(token: string): KeyIdentity | null | Promise<KeyIdentity | null>;
  session(
    token: string,
    transport: SessionTransport,
  ): SessionIdentity | null | Promise<SessionIdentity | null>;
}

const BEARER = /^bearer +/i;

/**
 * The credential after `Bearer`; null for another scheme. The usual spelling needs no regular
 * expression.
 */
function parseBearer(authorization: string): string | null {
  if (authorization.startsWith('Bearer ')) return authorization.slice(7).trim();
  return BEARER.test(authorization) ? authorization.replace(BEARER, '').trim() : null;
}

function orRefuse<Found extends Identity>(
  found: Found | null | Promise<Found | null>,
  code: 'INVALID_API_KEY' | 'INVALID_SESSION',
): Found | Promise<Found> {
  if (found instanceof Promise) return found.then((identity) => orRefuse(identity, code));
  if (found === null) throw buildUnauthorizedError(code);
  return found;
}

function identifyBearer(authorization: string, by: Authenticators): Identity | Promise<Identity> {
  const token = parseBearer(authorization);
  const kind = token === null ? null : readTokenKind(token);
  if (token === null || kind === null) {
    // Checked with any scheme or none: the sender must learn that the key is exposed.
    const bare = authorization.slice(authorization.indexOf(' ') + 1).trim();
    const isPrivateKey = isPrivateKeyShaped(bare) || isPrivateKeyShaped(authorization.trim());
    if (isPrivateKey) throw buildUnauthorizedError('PRIVATE_KEY_REFUSED');
    // An unset variable in a shell or a client's settings.
    const isEmpty = /^(bearer)?\s*$/i.test(authorization);
    throw buildUnauthorizedError(
      'INVALID_API_KEY',
      isEmpty ? 'empty: is a variable unset?' : undefined,
    );
  }
  return kind === 'key'
    ? orRefuse(by.key(token), 'INVALID_API_KEY')
    : orRefuse(by.session(token, 'token'), 'INVALID_SESSION');
}

/**
 * A browser sends its cookie with every request, even after the session has ended, and a page
 * cannot delete it. Such a request counts as anonymous. Its response does not delete the cookie:
 * the page may have signed in meanwhile, and the cookie would be the new one.
 */
function identifyCookie(
  cookie: string,
  caller: Caller,
  by: Authenticators,
): Identity | Promise<Identity> {
  if (isPrivateKeyShaped(cookie)) throw buildUnauthorizedError('PRIVATE_KEY_REFUSED');
  const nobody: Identity = { kind: 'anonymous', key: caller.addressGroup, hasStaleCookie: true };
  if (readTokenKind(cookie) !== 'session') return nobody;
  const found = by.session(cookie, 'cookie');
  return found instanceof Promise ? found.then((one) => one ?? nobody) : (found ?? nobody);
}

export function createIdentify(by: Authenticators): Identify {
  return (caller) => {
    // A bearer takes precedence over the cookie.
    if (caller.authorization !== undefined) return identifyBearer(caller.authorization, by);
    if (caller.sessionCookie !== undefined) {
      return identifyCookie(caller.sessionCookie, caller, by);
    }
    return { kind: 'anonymous', key: caller.addressGroup };
  };
}
