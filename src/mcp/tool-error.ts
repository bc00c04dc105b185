// Errors for a model: what happened, and what to do about it with the available tools.

import type { Static } from 'typebox';
import type { Operation } from '../contract/operation.ts';
import type { toolErrorSchema } from '../contract/schemas/problem-schema.ts';
import type { AppError } from '../errors/app-error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../errors/catalogue.ts';

export type ToolError = Static<typeof toolErrorSchema>;

type ToToolError = (error: AppError, requestId: string) => ToolError;

/** The catalogue names routes; if a route has a tool, the tool is named instead. */
export function createToolErrorBuilder(operations: readonly Operation[]): ToToolError {
  const tools = operations.flatMap(({ mcp, method, path }) =>
    mcp === null ? [] : [[`${method} /v1${path}`, mcp.tool] as const],
  );
  const writeHelp = (code: ErrorCode): string => {
    const text = tools.reduce<string>(
      (help, [route, tool]) => help.replaceAll(`\`${route}\``, `the tool \`${tool}\``),
      ERROR_CATALOGUE[code].help,
    );
    return text.slice(0, 1).toUpperCase() + text.slice(1);
  };
  return (error, requestId) => ({
    code: error.code,
    message: error.message,
    whatToDo: writeHelp(error.code),
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
    ...(error.retryAfterSeconds === undefined
      ? {}
      : { retryAfterSeconds: error.retryAfterSeconds }),
    requestId,
  });
}
