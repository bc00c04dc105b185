// Handlers of operations. They know nothing of HTTP or MCP, so both can call them.

import type { FramedAnswer } from './framed-answer.ts';
import type { Identity } from './identity.ts';
import type { LazyAnswer } from './lazy-answer.ts';
import type { InputOf, OutputOf } from './operation.ts';
import type { AnyOperation, OperationId, operations } from './operations.ts';
import type { RawAnswer, RawRequest } from './raw-request.ts';
import type { ReadyAnswer } from './ready-answer.ts';
import type { StreamAnswer, StreamContext } from './stream-answer.ts';
import type { WorkContext } from './work-context.ts';

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
