// Errors → RFC 9457 responses. The only place that decides what clients see of an error.

import { STATUS_CODES } from 'node:http';
import type { Static } from 'typebox';
import { createSerializer } from '../contract/create-serializer.ts';
import type { Identity } from '../contract/identity.ts';
import { problemSchema } from '../contract/schemas/problem-schema.ts';
import { AppError } from '../errors/app-error.ts';
import { ERROR_CATALOGUE } from '../errors/catalogue.ts';
import type { Decision, RequestLimiter } from '../lib/limiter.ts';
import { HEADER_BYTES_MAX } from './create-bare-server.ts';

// The answer to a request that a budget does not allow.

/** Rounded up, so that waiting this long is always enough. */
export function toWaitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000 - 1e-9));
}

interface Refused {
  readonly caller: Identity | null;
  readonly identity: string;
  readonly decision: Decision;
  readonly policyField: string;
}

/** A budget is too small for the request. */
export class Refusal extends AppError<'RATE_LIMITED'> {
  /** Whose budget it is; null for that of an address. */
  readonly caller: Identity | null;
  readonly #limiter: RequestLimiter;
  readonly #refused: Refused;

  constructor(limiter: RequestLimiter, refused: Refused) {
    const { policy } = limiter.budget;
    const { decision, policyField } = refused;
    const retryAfterSeconds = toWaitSeconds(decision.resetMs);
    const headers = {
      RateLimit: `"${policy}";r=${decision.remaining};t=${retryAfterSeconds}`,
      'RateLimit-Policy': policyField,
    };
    super('RATE_LIMITED', { policy, retryAfterSeconds }, { retryAfterSeconds, headers });
    this.caller = refused.caller;
    this.#limiter = limiter;
    this.#refused = refused;
  }

  /** The same for another cost, if that is known only later. */
  withCost(cost: number): Refusal {
    const { identity, decision } = this.#refused;
    const resetMs = this.#limiter.computeWaitMs(identity, cost);
    return new Refusal(this.#limiter, { ...this.#refused, decision: { ...decision, resetMs } });
  }
}

// The body of an error response, by RFC 9457.

export function buildProblem(error: AppError, requestId: string): Static<typeof problemSchema> {
  return {
    type: `/v1/docs#error-${error.code}`,
    title: ERROR_CATALOGUE[error.code].title,
    status: error.status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.errors ? { errors: [...error.errors] } : {}),
  };
}

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

export const BODY_BYTES_MAX = 64 * 1024;
export const URL_BYTES_MAX = 12 * 1024;

const serialize = createSerializer(problemSchema);

/** The body of an error response. */
export function serializeProblem(error: AppError, requestId: string): string {
  return serialize(buildProblem(error, requestId));
}

/** What Node's HTTP parser rejects before there is a request. */
const PARSER_ERRORS: Readonly<Record<string, () => AppError>> = {
  HPE_HEADER_OVERFLOW: () => new AppError('HEADERS_TOO_LARGE', { limitBytes: HEADER_BYTES_MAX }),
  ERR_HTTP_REQUEST_TIMEOUT: () => new AppError('REQUEST_TIMEOUT', {}),
};

export function toParserAppError(error: { readonly code?: string | undefined }): AppError {
  return (
    PARSER_ERRORS[error.code ?? '']?.() ??
    new AppError('MALFORMED_REQUEST', { reason: 'The request is not valid HTTP.' })
  );
}

// A whole error response as text, for a socket without a request. It loads nothing large.

/** A response to HEAD has no body. The connection ends with the response. */
export function encodeRawProblem(error: AppError, requestId: string, isHead = false): string {
  const body = JSON.stringify(buildProblem(error, requestId));
  const { retryAfterSeconds } = error;
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    ...error.headers,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    'x-request-id': requestId,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`;
  return `${[status, ...head].join('\r\n')}\r\n\r\n${isHead ? '' : body}`;
}
