// What answers an operation. Handlers know nothing of HTTP or MCP: either can call them.

import type { InputOf, OutputOf } from './operation.ts';
import type { AnyOperation, OperationId, operations } from './operations.ts';
import type { ReadyAnswer } from './ready-answer.ts';

/** Who is asking: `kind` goes into logs, `key` names the budget that pays. */
export interface Identity {
  readonly kind: 'anonymous';
  readonly key: string;
}

export interface HandlerContext {
  readonly identity: Identity;
  readonly requestId: string;
}

export type Handler<Op extends AnyOperation> = (
  input: InputOf<Op>,
  context: HandlerContext,
) => OutputOf<Op> | ReadyAnswer | Promise<OutputOf<Op> | ReadyAnswer>;

export type Handlers = {
  readonly [Id in OperationId]: Handler<Extract<(typeof operations)[number], { readonly id: Id }>>;
};
