// What an operation is: the one definition from which routes, checks, documents and tools follow.

import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../errors/catalogue.ts';

/** What a request spends of its caller's budget, by kind. `free` is not metered at all. */
export const COSTS = { free: 0, read: 1, search: 2, challenge: 5, quote: 5, build: 10 } as const;

type CostClass = keyof typeof COSTS;

/**
 * The evaluations of pools that a search for a route may take for what its operation costs; each
 * further so many cost 1 more.
 */
export const EVALUATIONS_PER_UNIT = 50_000;

/** Whether the operation searches for a route, and so costs more where the search is long. */
export function isBySearch({ cost }: { readonly cost: CostClass }): boolean {
  return cost === 'quote' || cost === 'build';
}

export function toCostText(operation: { readonly cost: CostClass }): string {
  const cost = String(COSTS[operation.cost]);
  if (!isBySearch(operation)) return cost;
  const each = EVALUATIONS_PER_UNIT.toLocaleString('en');
  return `${cost}, and 1 more for every ${each} pool evaluations beyond the first ${each}`;
}

/**
 * Who may call: anyone, with any credential raising the tier; anyone, with an API key raising it
 * and sessions refused; or only a signed-in wallet.
 */
export type AccessLevel = 'public' | 'key' | 'session';

interface OperationExample {
  readonly input: Readonly<Record<string, unknown>>;
  /** A real answer, shortened where it is long; checked against the output schema by a test. */
  readonly answer: unknown;
}

export interface McpExposure {
  readonly tool: string;
  /** For people who are shown a list of tools. */
  readonly title: string;
  /** For a model: when to use it, in which units, an example, and whom not to believe. */
  readonly description: string;
  /** Smaller than over HTTP where answers would fill a model's memory; the description says so. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>;
}

interface WireForm {
  readonly input: TSchema;
  readonly output: TSchema;
  /** Answers by status beside those of every operation; null for one without a body. */
  readonly answers: Readonly<
    Record<number, { readonly description: string; readonly schema: TSchema | null }>
  >;
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
  readonly tag: 'Market' | 'Trading' | 'Account' | 'Agents' | 'Reference' | 'Operations';
  readonly summary: string;
  readonly description: string;
  readonly access: AccessLevel;
  /** Which web pages may call: any, without credentials; or our own and those allowed, with. */
  readonly pages: 'any' | 'own';
  /** Whether the handler reads the body itself: a protocol of its own within HTTP. */
  readonly isRaw: boolean;
  /** Whether an `Idempotency-Key` header is honoured. */
  readonly takesIdempotencyKey: boolean;
  readonly cost: CostClass;
  /** The query of a GET or DELETE, the body of a POST. Fields beyond it are refused. */
  readonly input: Input;
  /** Query fields that are text of any kind: what cannot be decoded is not refused. */
  readonly anyTextFields: readonly string[];
  /** What leaves: fields beyond it are dropped. */
  readonly output: Output;
  /** How bodies really look where a protocol within HTTP has more forms than input and output. */
  readonly wire: WireForm | null;
  /** An event stream's output says what each event holds, by its name. */
  readonly mediaType:
    | 'application/json'
    | 'text/html'
    | 'text/plain'
    | 'text/markdown'
    | 'text/event-stream';
  readonly status: number;
  readonly cacheControl: string;
  /** Codes of its own, beside those that every operation may answer with. */
  readonly errors: readonly ErrorCode[];
  readonly example: OperationExample;
  /** The MCP tool that offers the same; null where agents have no use for it. */
  readonly mcp: McpExposure | null;
}

type Defaults =
  | 'access'
  | 'pages'
  | 'isRaw'
  | 'takesIdempotencyKey'
  | 'anyTextFields'
  | 'wire'
  | 'mediaType'
  | 'status'
  | 'errors'
  | 'mcp';

export function defineOperation<Input extends TObject, Output extends TSchema, Id extends string>(
  definition: Omit<Operation<Input, Output, Id>, Defaults> &
    Partial<Pick<Operation<Input, Output, Id>, Defaults>>,
): Operation<Input, Output, Id> {
  return {
    access: 'public',
    pages: definition.access === 'session' ? 'own' : 'any',
    isRaw: false,
    takesIdempotencyKey: false,
    anyTextFields: [],
    wire: null,
    mediaType: 'application/json',
    status: 200,
    errors: [],
    mcp: null,
    ...definition,
  };
}

/** Caches may share the answer: it names itself, so that they can ask whether it still holds. */
export function isShared(operation: Pick<Operation, 'cacheControl'>): boolean {
  return operation.cacheControl.startsWith('public');
}

/** Codes that any operation may answer with, beside its own. */
export function toErrorCodes(operation: Operation): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(['INVALID_INPUT', 'MALFORMED_REQUEST']);
  if (operation.cost !== 'free') {
    // A session that has ended is told so even where no session is taken.
    codes.add('INVALID_API_KEY').add('INVALID_SESSION').add('PRIVATE_KEY_REFUSED');
    // A lost key store refuses those who show credentials rather than letting them in.
    codes.add('RATE_LIMITED').add('UPSTREAM_UNAVAILABLE');
  }
  if (operation.access === 'session') {
    codes.add('WALLET_SESSION_REQUIRED');
    if (operation.method !== 'GET') codes.add('ORIGIN_NOT_ALLOWED');
  }
  if (operation.method === 'POST') {
    for (const code of ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code);
  }
  for (const code of operation.errors) codes.add(code);
  // Of the request itself, whatever it asks for.
  codes.add('REQUEST_TIMEOUT').add('URI_TOO_LONG').add('HEADERS_TOO_LARGE');
  for (const code of ['INTERNAL', 'OVERLOADED'] as const) codes.add(code);
  return [...codes];
}

export type InputOf<Op> = Op extends Operation<infer Input, TSchema> ? Static<Input> : never;
export type OutputOf<Op> = Op extends Operation<TObject, infer Output> ? Static<Output> : never;
