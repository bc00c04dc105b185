// The definition of an operation, from which routes, validation, documents and tools are generated.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { KeyScope } from '../model/key-limits.ts';

/** What `image/*` stands for. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/** What a request costs, by kind. `free` is not metered. */
export const COSTS = {
  free: 0,
  image: 0.1,
  read: 1,
  search: 2,
  challenge: 5,
  quote: 5,
  /** May need a call to a chain's node. */
  node: 5,
  build: 10,
} as const;

type CostClass = keyof typeof COSTS;

/**
 * How many pool evaluations the cost of an operation includes; each further group of this size
 * costs 1 more.
 */
export const EVALUATIONS_PER_UNIT = 50_000;

/** What it costs more if a token has to be looked up on its chain. */
export const LOOKUP_COST = 10;

/** How many rows a read's cost includes, and how many more each further unit does. */
export const ROWS_INCLUDED = 100;
export const ROWS_PER_UNIT = 500;

/** How many tokens a read's cost includes; each further started group costs 1 more. */
export const TOKENS_PER_UNIT = 30;

/** What a request for so many rows costs beyond its own cost, which is that of a read. */
export function computeRowsCost(rows: number): number {
  return Math.max(0, Math.ceil((rows - ROWS_INCLUDED) / ROWS_PER_UNIT));
}

/** What a request for so many tokens costs beyond its own cost, which is that of a read. */
export function computeTokensCost(count: number): number {
  return Math.ceil(count / TOKENS_PER_UNIT) - 1;
}

/** Whether the operation may look a token up. */
function isByLookup({ errors }: { readonly errors: readonly ErrorCode[] }): boolean {
  return errors.includes('LOOKUP_PENDING');
}

/** Whether the operation searches for a route, and so costs more if the search is long. */
function isBySearch({ cost }: { readonly cost: CostClass }): boolean {
  return cost === 'quote' || cost === 'build';
}

type CostFacts = Pick<Operation, 'cost' | 'errors' | 'costBy'>;

export function describeCost(operation: CostFacts): string {
  const parts = [String(COSTS[operation.cost])];
  const each = EVALUATIONS_PER_UNIT.toLocaleString('en');
  if (isBySearch(operation)) {
    parts.push(`1 more for every ${each} pool evaluations beyond the first ${each}`);
  }
  if (operation.costBy === 'tokens') {
    parts.push(`1 more for every started ${TOKENS_PER_UNIT} tokens beyond the first`);
  }
  if (operation.costBy === 'rows') {
    parts.push(
      `1 more for every started ${ROWS_PER_UNIT} rows asked for beyond the first ${ROWS_INCLUDED}`,
    );
  }
  if (isByLookup(operation)) {
    parts.push(`${LOOKUP_COST} more if a token has to be looked up on its chain`);
  }
  return parts.join(', and ');
}

/**
 * Who may call: anyone, with any credential raising the tier; anyone, with an API key raising it
 * and sessions rejected; only a signed-in wallet; or that and its keys with the operation's scope.
 */
export type AccessLevel = 'public' | 'key' | 'session' | 'owner';

interface OperationExample {
  readonly input: Readonly<Record<string, unknown>>;
  /** A real response, shortened if it is long; a test checks it against the output schema. */
  readonly answer: unknown;
}

/** Examples are data: `npm run examples` writes them. */
export function toExampleFile(id: string): string {
  const name = id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return fileURLToPath(new URL(`examples/${name}.json`, import.meta.url));
}

function readExample(id: string): OperationExample {
  return JSON.parse(readFileSync(toExampleFile(id), 'utf8'));
}

export interface McpExposure {
  readonly tool: string;
  /** For people who see a list of tools. */
  readonly title: string;
  /** For a model: when to use it, in which units, an example, and what not to trust. */
  readonly description: string;
  /** Smaller than over HTTP where answers would fill a model's context; the description says so. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>;
  /** Inputs that fill a model's context with little use: accepted, and not in the list of tools. */
  readonly unlisted?: readonly string[];
  /**
   * The list of the answer whose rows have only these fields, unless a model asks for all. Of
   * `windows` they have the one that the input names.
   */
  readonly brief?: { readonly rows: string; readonly fields: readonly string[] };
  /** Hosts that can show views show its answer as the chart of a token. */
  readonly hasTokenView?: true;
}

interface WireForm {
  readonly input: TSchema;
  readonly output: TSchema;
  /** Responses by status besides those of every operation; null for one without a body. */
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
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /**
   * Below `/v1`. Parameters are in the query or the body, but for those that the path names, as in
   * `/webhooks/{id}`: they are fields of the input, too.
   */
  readonly path: string;
  readonly tag:
    | 'Market'
    | 'Charts'
    | 'Trading'
    | 'Account'
    | 'Webhooks'
    | 'Agents'
    | 'Reference'
    | 'Operations';
  readonly summary: string;
  readonly description: string;
  readonly access: AccessLevel;
  /**
   * Which web pages may call: any, without credentials; or our own and allowed ones, with
   * credentials.
   */
  readonly pages: 'any' | 'own';
  /** Whether the handler reads the body itself, for its own protocol within HTTP. */
  readonly isRaw: boolean;
  /** Whether an `Idempotency-Key` header is accepted. */
  readonly takesIdempotencyKey: boolean;
  readonly cost: CostClass;
  /** Of what many cost more: the tokens or the rows that are asked for. */
  readonly costBy: 'tokens' | 'rows' | null;
  /** Whether its handler may wait for something to happen, until the caller disconnects. */
  readonly mayWait: boolean;
  /** The query of a GET or DELETE, the body of a POST or PATCH. Unknown fields are rejected. */
  readonly input: Input;
  /** Query fields that accept any text, even if it cannot be decoded. */
  readonly anyTextFields: readonly string[];
  /** The response; undeclared fields are dropped. */
  readonly output: Output;
  /** The real bodies, if a protocol within HTTP has more forms than input and output. */
  readonly wire: WireForm | null;
  /** For an event stream, the output describes each event by name. */
  readonly mediaType:
    | 'application/json'
    | 'text/html'
    | 'text/plain'
    | 'text/markdown'
    | 'image/*'
    | 'text/event-stream';
  readonly status: number;
  readonly cacheControl: string;
  /** Its own error codes, besides those of every operation. */
  readonly errors: readonly ErrorCode[];
  readonly example: OperationExample;
  /** The MCP tool for the same operation; null if agents do not need it. */
  readonly mcp: McpExposure | null;
}

type Defaults =
  | 'example'
  | 'access'
  | 'pages'
  | 'isRaw'
  | 'costBy'
  | 'mayWait'
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
    pages: isOwned(definition) ? 'own' : 'any',
    isRaw: false,
    costBy: null,
    mayWait: false,
    takesIdempotencyKey: false,
    anyTextFields: [],
    wire: null,
    mediaType: 'application/json',
    status: 200,
    errors: [],
    mcp: null,
    ...definition,
    example: definition.example ?? readExample(definition.id),
  };
}

/** Whether it is about what belongs to the caller's wallet. */
export function isOwned({ access }: { readonly access?: AccessLevel | undefined }): boolean {
  return access === 'session' || access === 'owner';
}

/** Whether its input is the body of the request. */
export function hasBody({ method }: Pick<Operation, 'method'>): boolean {
  return method === 'POST' || method === 'PATCH';
}

/** The scope that a key needs for it. */
export function findKeyScope({
  access,
  isRaw,
  cost,
}: Pick<Operation, 'access' | 'isRaw' | 'cost'>): KeyScope {
  if (access === 'owner') return 'webhooks';
  if (isRaw) return 'mcp';
  return cost === 'quote' ? 'quote' : 'data';
}

/** Whether shared caches may store the response; it then has an ETag for revalidation. */
export function isShared(operation: Pick<Operation, 'cacheControl'>): boolean {
  return operation.cacheControl.startsWith('public');
}

/**
 * Whether responses may be compressed. Those of sign-in, sessions and keys hold secrets, which the
 * length of a compressed response could reveal (BREACH).
 */
export function mayCompress(operation: Pick<Operation, 'pages' | 'isRaw' | 'mediaType'>): boolean {
  const { mediaType } = operation;
  // Images are compressed already.
  if (mediaType === 'text/event-stream' || mediaType.startsWith('image/')) return false;
  return operation.pages === 'any' || operation.isRaw;
}

/** All error codes of an operation, including those of every operation. */
export function listErrorCodes(operation: Operation): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(['INVALID_INPUT', 'MALFORMED_REQUEST']);
  if (operation.cost !== 'free') {
    // An ended session is reported even where sessions are not accepted.
    codes.add('INVALID_API_KEY').add('INVALID_SESSION').add('PRIVATE_KEY_REFUSED');
    // If the key store fails, callers with credentials are rejected, never let in.
    codes.add('RATE_LIMITED').add('UPSTREAM_UNAVAILABLE');
    if (operation.access !== 'session') codes.add('KEY_NOT_PERMITTED');
  }
  if (isOwned(operation)) {
    codes.add('WALLET_SESSION_REQUIRED');
    if (operation.method !== 'GET') codes.add('ORIGIN_NOT_ALLOWED');
  }
  if (hasBody(operation)) {
    for (const code of ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code);
  }
  for (const code of operation.errors) codes.add(code);
  // Errors of the request itself, for any operation.
  codes.add('REQUEST_TIMEOUT').add('URI_TOO_LONG').add('HEADERS_TOO_LARGE');
  for (const code of ['INTERNAL', 'OVERLOADED'] as const) codes.add(code);
  return [...codes];
}

export type InputOf<Op> = Op extends Operation<infer Input, TSchema> ? Static<Input> : never;
export type OutputOf<Op> = Op extends Operation<TObject, infer Output> ? Static<Output> : never;
