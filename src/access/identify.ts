// Credentials → who is asking. A bad credential is refused, never treated as none.

import type { Identity } from '../contract/handler.ts';
import { AppError } from '../errors/app-error.ts';

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="mintwire", error="invalid_token"' };

/** Hex of 32 bytes, base58 of 64 bytes, or a JSON array of 64 numbers: how wallets export keys. */
const PRIVATE_KEY_SHAPES = [
  /^(0x)?[0-9a-f]{64}$/i,
  /^[1-9A-HJ-NP-Za-km-z]{86,88}$/,
  /^\[(\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]$/,
];

export function isPrivateKeyShaped(text: string): boolean {
  return PRIVATE_KEY_SHAPES.some((shape) => shape.test(text));
}

export interface Caller {
  readonly authorization: string | undefined;
  /** The caller's address as the limiter groups it. */
  readonly addressGroup: string;
}

export function identify(caller: Caller): Identity {
  if (caller.authorization === undefined) return { kind: 'anonymous', key: caller.addressGroup };
  const credential = caller.authorization.replace(/^bearer\s+/i, '').trim();
  const code = isPrivateKeyShaped(credential) ? 'PRIVATE_KEY_REFUSED' : 'INVALID_API_KEY';
  throw new AppError(code, {}, { headers: CHALLENGE });
}
