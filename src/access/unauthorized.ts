// Refusals of credentials, with the header that says how to do better.

import { AppError } from '../errors/app-error.ts';

const REALM = 'Bearer realm="mintwire"';

type RefusedCode =
  | 'INVALID_API_KEY'
  | 'INVALID_SESSION'
  | 'PRIVATE_KEY_REFUSED'
  | 'WALLET_SESSION_REQUIRED';

function create(code: RefusedCode): AppError {
  // RFC 6750: no error is named where no credential came, or a good one that does not suffice.
  const fault = code === 'WALLET_SESSION_REQUIRED' ? '' : ', error="invalid_token"';
  return new AppError(code, {}, { headers: { 'WWW-Authenticate': `${REALM}${fault}` } });
}

const REFUSALS: Readonly<Record<RefusedCode, AppError>> = {
  INVALID_API_KEY: create('INVALID_API_KEY'),
  INVALID_SESSION: create('INVALID_SESSION'),
  PRIVATE_KEY_REFUSED: create('PRIVATE_KEY_REFUSED'),
  WALLET_SESSION_REQUIRED: create('WALLET_SESSION_REQUIRED'),
};

/** The same object each time: a flood of bad keys must not pay for stack traces. */
export function toUnauthorized(code: RefusedCode): AppError {
  return REFUSALS[code];
}
