// Routes in the shape of another API, at `/compat/…` beside `/v1`, so that a program written for
// that API works here after its base URL is changed.
//
// A route computes nothing: it asks operations, which validate, charge, cache and answer as over
// `/v1`, and maps what they answer. The transport binds it (`http/bind-compat.ts`).

import { AppError } from '../errors/app-error.ts';
import type { OutputOf } from './operation.ts';
import type { AnyOperation } from './operations.ts';

/** Parsed as leniently as those APIs do: unknown parameters are never an error. */
export interface CompatRequest {
  /** What stands in the braces of the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Repeated parameters are kept: see `readList`. */
  readonly query: URLSearchParams;
  /** Empty for a GET. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * An answer as it is kept: `asOf` changes with every block and is missing in what is cached, so
 * that a mapped answer holds as long as the answer beneath it.
 */
export type Asked<Op extends AnyOperation> = Omit<OutputOf<Op>, 'asOf'>;

/**
 * Asks an operation, with its price: what is not paid by the route's first operation is charged
 * now. Throws what the operation throws.
 */
export type Ask = <Op extends AnyOperation>(
  operation: Op,
  input: Readonly<Record<string, unknown>>,
) => Promise<Asked<Op>>;

export interface CompatParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly description: string;
  readonly isRequired?: boolean;
}

export interface CompatRoute {
  /** In the log, the metrics, the usage of keys and the OpenAPI document. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Below the shape's prefix. `{name}` stands for one segment. */
  readonly path: string;
  /**
   * The operation whose price, access and key scope the request has before it is read; further
   * ones that it asks are charged then. Null: it asks none, and costs what a read does.
   */
  readonly asks: AnyOperation | null;
  readonly summary: string;
  readonly parameters: readonly CompatParameter[];
  /**
   * The body of the answer, in the order of its keys. It must depend on nothing but the request
   * and what was asked, because it is kept and sent again while that does not change.
   */
  answer(request: CompatRequest, ask: Ask): unknown;
}

export interface CompatReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CompatShape {
  /** Such as `/compat/jup`. */
  readonly prefix: string;
  /** Of its routes in OpenAPI. */
  readonly tag: string;
  readonly description: string;
  readonly routes: readonly CompatRoute[];
  /** An error as clients of the other API know it. */
  encodeError(error: AppError, requestId: string): CompatReply;
}

/** What the other API answers where no operation of ours refuses. */
export class CompatRefusal extends AppError<'INVALID_INPUT'> {
  readonly reply: CompatReply;

  constructor(reply: CompatReply) {
    super('INVALID_INPUT', { summary: 'Refused in the form of another API.' });
    this.reply = reply;
  }
}

/** A list as clients send it: with commas, as a repeated parameter, or both. */
export function readList(query: URLSearchParams, name: string): string[] {
  return splitList(query.getAll(name).join(','));
}

/** Without empty entries. */
function splitList(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
