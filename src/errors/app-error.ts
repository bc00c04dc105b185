// The only error that becomes a response: a catalogue code with its context.

import { ERROR_CATALOGUE, type ErrorCode, type ErrorContext, fillDetail } from './catalogue.ts';

export interface FieldError {
  /** The field in the input: the name of a query parameter, or a path in the body. */
  readonly path: string;
  readonly message: string;
}

interface AppErrorOptions {
  /** For the log; never shown to a client. */
  readonly cause?: unknown;
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number;
  /** Headers of the response, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'AppError';
  readonly code: Code;
  readonly status: number;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  #headers: Readonly<Record<string, string>> | undefined;

  constructor(code: Code, context: ErrorContext<Code>, options: AppErrorOptions = {}) {
    super(fillDetail(code, context), options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.status = ERROR_CATALOGUE[code].status;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.#headers = options.headers;
  }

  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#headers;
  }

  /** Adds headers on the way to the client; existing ones stay. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = { ...headers, ...this.#headers };
  }
}

/** `INVALID_INPUT` for the given fields, with a summary that names them. */
export function buildInvalidInputError(errors: readonly FieldError[]): AppError<'INVALID_INPUT'> {
  const first = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const summary = first ? `${first.path}: ${first.message}${more}` : 'The input is not valid.';
  return new AppError('INVALID_INPUT', { summary }, { errors });
}
