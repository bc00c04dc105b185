// Credential errors, with the `WWW-Authenticate` header.

import { AppError } from '../errors/app-error.ts';

const REALM = 'Bearer realm="mintwire"';

type RefusedCode =
  | 'INVALID_API_KEY'
  | 'INVALID_SESSION'
  | 'PRIVATE_KEY_REFUSED'
  | 'WALLET_SESSION_REQUIRED';

function create(code: RefusedCode): AppError {
  // RFC 6750: no `error` if no credential was sent, or a valid one that is not sufficient.
  const fault = code === 'WALLET_SESSION_REQUIRED' ? '' : ', error="invalid_token"';
  return new AppError(code, {}, { headers: { 'WWW-Authenticate': `${REALM}${fault}` } });
}

/**
 * A new object each time, because the gate adds the caller's budget to it; without a stack trace,
 * because a flood of bad keys must stay cheap.
 */
export function buildUnauthorizedError(code: RefusedCode): AppError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = create(code);
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}
