// What an operation is: the one definition from which routes, checks, documents and tools follow.

import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../errors/catalogue.ts';

/** What a request spends of its caller's budget, by kind. `free` is not metered at all. */
export const COSTS = { free: 0, read: 1 } as const;

export type CostClass = keyof typeof COSTS;

/** Who may call: anyone (any credential raises the tier). Later levels stand beside it. */
export type AccessLevel = 'public';

export interface OperationExample {
  readonly input: Readonly<Record<string, string | number | boolean>>;
  /** A real answer, shortened where it is long; checked against the output schema by a test. */
  readonly answer: unknown;
}

export interface McpExposure {
  readonly tool: string;
  readonly description: string;
}

export interface Operation<
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
  Id extends string = string,
> {
  readonly id: Id;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/v1`. Paths are static: parameters travel in the query or the body. */
  readonly path: string;
  readonly tag: 'Market' | 'Account' | 'Reference' | 'Operations';
  readonly summary: string;
  readonly description: string;
  readonly access: AccessLevel;
  readonly cost: CostClass;
  /** The query of a GET or DELETE, the body of a POST. Fields beyond it are refused. */
  readonly input: Input;
  /** What leaves: fields beyond it are dropped. */
  readonly output: Output;
  readonly mediaType: 'application/json' | 'text/html' | 'text/plain' | 'text/markdown';
  readonly status: number;
  readonly cacheControl: string;
  /** Codes of its own, beside those that every operation may answer with. */
  readonly errors: readonly ErrorCode[];
  readonly example: OperationExample;
  /** The MCP tool that offers the same; null where agents have no use for it. */
  readonly mcp: McpExposure | null;
}

type Defaults = 'access' | 'mediaType' | 'status' | 'errors' | 'mcp';

export function defineOperation<Input extends TObject, Output extends TSchema, Id extends string>(
  definition: Omit<Operation<Input, Output, Id>, Defaults> &
    Partial<Pick<Operation<Input, Output, Id>, Defaults>>,
): Operation<Input, Output, Id> {
  return {
    access: 'public',
    mediaType: 'application/json',
    status: 200,
    errors: [],
    mcp: null,
    ...definition,
  };
}

/** Codes that any operation may answer with, beside its own. */
export function toErrorCodes(operation: Operation): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(['INVALID_INPUT', 'MALFORMED_REQUEST']);
  if (operation.cost !== 'free') {
    for (const code of ['INVALID_API_KEY', 'PRIVATE_KEY_REFUSED', 'RATE_LIMITED'] as const) {
      codes.add(code);
    }
  }
  if (operation.method === 'POST') {
    for (const code of ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code);
  }
  for (const code of operation.errors) codes.add(code);
  for (const code of ['INTERNAL', 'OVERLOADED'] as const) codes.add(code);
  return [...codes];
}

export type InputOf<Op> = Op extends Operation<infer Input, TSchema> ? Static<Input> : never;
export type OutputOf<Op> = Op extends Operation<TObject, infer Output> ? Static<Output> : never;
