// What a call throws: the problem that the server answered with, or why there is no answer.

import type { ErrorCode, Problem } from './contract.gen.ts';

/**
 * The client's own codes. `UNREACHABLE`: no whole answer came. `TIMEOUT`: none came in time.
 * `UNEXPECTED_ANSWER`: not the API answered, but a proxy.
 */
export type ClientCode = 'UNREACHABLE' | 'TIMEOUT' | 'UNEXPECTED_ANSWER';

/** A code of the server's catalogue, or one of the client's own. */
export type ProblemCode = ErrorCode | ClientCode;

export interface ProblemDetails {
  readonly code: ProblemCode;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Finds the request in the server's log. */
  readonly requestId: string | null;
  /** The invalid fields of the input. */
  readonly errors: NonNullable<Problem['errors']>;
  /** How long to wait before asking again may help; null if it does not help. */
  readonly retryAfterMs: number | null;
}

export class MintwireError extends Error implements ProblemDetails {
  override readonly name = 'MintwireError';
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: ProblemDetails['errors'];
  readonly retryAfterMs: number | null;
  /** The same as a time, in Unix milliseconds. */
  readonly retryAtMs: number | null;

  constructor(details: ProblemDetails, options?: { readonly cause?: unknown }) {
    super(`${details.code}: ${details.detail || details.title}`, options);
    this.code = details.code;
    this.status = details.status;
    this.title = details.title;
    this.detail = details.detail;
    this.requestId = details.requestId;
    this.errors = details.errors;
    this.retryAfterMs = details.retryAfterMs;
    this.retryAtMs = details.retryAfterMs === null ? null : Date.now() + details.retryAfterMs;
  }
}

/** Whether an error is one of these problems: `isProblem(error, 'PRICE_MOVED')`. */
export function isProblem<Code extends ProblemCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is MintwireError & { readonly code: Code } {
  return error instanceof MintwireError && codes.some((code) => code === error.code);
}
