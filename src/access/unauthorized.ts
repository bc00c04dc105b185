// Credential errors, with the `WWW-Authenticate` header.

import { AppError } from '../errors/app-error.ts';

const REALM = 'Bearer realm="mintwire"';

const REASONS = {
  INVALID_API_KEY: 'not a valid API key of this server',
  WALLET_SESSION_REQUIRED: 'none was sent',
  INVALID_SESSION: '',
  PRIVATE_KEY_REFUSED: '',
} as const;

type RefusedCode = keyof typeof REASONS;

function create(code: RefusedCode, reason: string): AppError {
  // RFC 6750: no `error` if no credential was sent, or a valid one that is not sufficient.
  const fault = code === 'WALLET_SESSION_REQUIRED' ? '' : ', error="invalid_token"';
  return new AppError(code, { reason }, { headers: { 'WWW-Authenticate': `${REALM}${fault}` } });
}

/**
 * A new object each time, because the gate adds the caller's budget to it; without a stack trace,
 * because a flood of bad keys must stay cheap.
 */
export function buildUnauthorizedError(
  code: RefusedCode,
  reason: string = REASONS[code],
): AppError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = create(code, reason);
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}
