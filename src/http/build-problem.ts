// The body of an error response, by RFC 9457.

import type { Static } from 'typebox';
import type { problemSchema } from '../contract/schemas/problem-schema.ts';
import type { AppError } from '../errors/app-error.ts';
import { ERROR_CATALOGUE } from '../errors/catalogue.ts';

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
