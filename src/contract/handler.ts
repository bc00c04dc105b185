// Handlers of operations. They know nothing of HTTP or MCP, so both can call them.

import type { Identity } from './identity.ts';
import type { InputOf, OutputOf } from './operation.ts';
import type { AnyOperation, OperationId, operations } from './operations.ts';
import type { StreamAnswer, StreamContext } from './stream-answer.ts';
import type { WorkContext } from './work-context.ts';

// A request whose handler reads the body itself, and what it answers: for protocols within HTTP.

export interface RawRequest {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Begins one message of the request: what it is charged and how it ends is counted as a request
   * of its own. Only names from a bounded list.
   */
  begin(operation: string): RawMessage;
  /** Says in log and metrics what was asked for; only names from a bounded list. */
  rename(operation: string): void;
}

export interface RawMessage {
  /**
   * Charges for the message; throws `RATE_LIMITED`. The first one of a request is paid for in part
   * already, by what every request costs before it is read.
   */
  charge(cost: number): void;
  /** For work beyond that. */
  readonly work: WorkContext;
  /** With the status that the same request over HTTP would have had. */
  end(status: number): void;
}

export interface RawAnswer {
  readonly status: number;
  /** JSON, or the bytes of it in pieces; null for an answer without a body. */
  readonly body: string | readonly Buffer[] | null;
  /** When a retry makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
}

// An answer as bytes: built once and sent unchanged while it is valid.

export interface ReadyAnswer {
  readonly kind: 'ready';
  readonly bytes: Buffer;
  /**
   * The same bytes in two parts, of which the long one is the same object in many answers; a
   * transport may keep its compressed form.
   */
  readonly parts?: { readonly long: Buffer; readonly end: Buffer };
  /** Weak entity tag, quotes included; null for an answer that is not cached anywhere else. */
  readonly etag: string | null;
  /** Headers that differ from the common ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function isReadyAnswer(answer: unknown): answer is ReadyAnswer {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'ready'
  );
}

// An answer that is dropped when it is written. A request that waits makes promises that V8 soon
// counts as old, and what an old one holds survives until a full collection, even if it is dead:
// docs/decisions/tuning.md, 0082.

export class LazyAnswer<Body> {
  readonly kind = 'lazy';
  #body: Body | null;

  constructor(body: Body) {
    this.#body = body;
  }

  take(): Body {
    const body = this.#body;
    if (body === null) throw new Error('an answer was taken twice');
    this.#body = null;
    return body;
  }
}

export function isLazyAnswer(answer: unknown): answer is LazyAnswer<unknown> {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'lazy'
  );
}

// An answer with more than a body: a header, or a session cookie to set or delete.

export interface FramedAnswer<Body> {
  readonly kind: 'framed';
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** The browser's session: set this one until then, or delete the current one. */
  readonly session?: { readonly token: string; readonly expiresAtMs: number } | 'drop';
}

export function isFramedAnswer(answer: unknown): answer is FramedAnswer<unknown> {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'framed'
  );
}

export interface HandlerContext extends WorkContext {
  readonly identity: Identity;
  readonly requestId: string;
  /** The address group of the caller, as used by limits. */
  readonly addressGroup: string;
  /** The browser's `Origin`; null if there is none. */
  readonly origin: string | null;
  /** The client's idempotency key, if the operation accepts one. */
  readonly idempotencyKey: string | null;
}

type AnswerOf<Op> =
  | OutputOf<Op>
  | LazyAnswer<OutputOf<Op>>
  | FramedAnswer<OutputOf<Op>>
  | ReadyAnswer;

type Handler<Op extends AnyOperation> = (
  input: InputOf<Op>,
  context: HandlerContext,
) => AnswerOf<Op> | Promise<AnswerOf<Op>>;

/** Handles its own protocol within HTTP. */
export interface RawHandler {
  (request: RawRequest, context: HandlerContext): RawAnswer | Promise<RawAnswer>;
  /** The cost of the most expensive message of a request; null if the request was not read. */
  findCost(request: Pick<RawRequest, 'body' | 'headers'> | null): number;
}

/** Operations whose handler gets the raw body. */
type RawId = 'callMcp';

/** Sends events for as long as the client reads them. */
export type StreamHandler<Input = unknown> = (
  input: Input,
  context: HandlerContext & StreamContext,
) => StreamAnswer | Promise<StreamAnswer>;

type StreamId = 'getTokenStream';

type OperationOf<Id> = Extract<(typeof operations)[number], { readonly id: Id }>;

export type Handlers = {
  readonly [Id in Exclude<OperationId, RawId | StreamId>]: Handler<OperationOf<Id>>;
} & { readonly [Id in RawId]: RawHandler } & {
  readonly [Id in StreamId]: StreamHandler<InputOf<OperationOf<Id>>>;
};

/** Any operation's handler, as a transport calls it. */
export type AnyHandler = (input: unknown, context: HandlerContext) => unknown;
