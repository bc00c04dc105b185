// Errors → RFC 9457 answers. The only place that decides what of an error leaves the service.

import { AppError, toInvalidInput } from '../errors/app-error.ts';
import { ERROR_CATALOGUE } from '../errors/catalogue.ts';

export const BODY_BYTES_MAX = 64 * 1024;
export const URL_BYTES_MAX = 8 * 1024;
export const HEADER_BYTES_MAX = 16 * 1024;

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export function toProblem(error: AppError, requestId: string): Problem {
  return {
    type: `/v1/docs#error-${error.code}`,
    title: ERROR_CATALOGUE[error.code].title,
    status: error.status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.errors ? { errors: error.errors } : {}),
  };
}

function invalidBody(message: string): AppError {
  return toInvalidInput([{ path: 'body', message }]);
}

/** What the web framework finds wrong before a handler runs, by its own codes. */
const FRAMEWORK_ERRORS: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('BODY_TOO_LARGE', { limitBytes: BODY_BYTES_MAX }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new AppError('UNSUPPORTED_MEDIA_TYPE', {}),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError('MALFORMED_REQUEST', { reason: 'The body is not as long as it was announced.' }),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => invalidBody('must not be empty'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => invalidBody('must be valid JSON'),
  FST_ERR_BAD_URL: () =>
    new AppError('MALFORMED_REQUEST', { reason: 'The path has invalid percent-encoding.' }),
  FST_ERR_HANDLER_TIMEOUT: () => new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 }),
};

/** What Node's HTTP parser refuses before there is a request. */
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

/** Any throw as an `AppError`: known ones keep their code, the rest are ours and say nothing. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  const known = FRAMEWORK_ERRORS[code ?? ''];
  if (known) return known();
  // The JSON parser's refusal of `__proto__` has a status and no code.
  if (error instanceof SyntaxError && statusCode === 400) {
    return invalidBody('must be valid JSON without __proto__ or constructor fields');
  }
  return new AppError('INTERNAL', {}, { cause: error });
}
