// Errors → RFC 9457 responses. The only place that decides what clients see of an error.

import { createSerializer } from '../contract/create-serializer.ts';
import { problemSchema } from '../contract/schemas/problem-schema.ts';
import { AppError } from '../errors/app-error.ts';
import { buildProblem } from './build-problem.ts';
import { HEADER_BYTES_MAX } from './create-bare-server.ts';

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
