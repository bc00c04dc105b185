// What a family's nodes are called by and how they answer; the rest of JSON-RPC is the same for
// all.

import type { RpcError } from './rpc-error.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The `error` member of a JSON-RPC reply, with the HTTP status around it. */
export interface NodeError {
  readonly code: number | null;
  readonly message: string;
  readonly data: string | null;
  /** Which call it is about; null if it is about a whole batch. */
  readonly method: string | null;
  readonly endpoint: string;
  readonly retryAfterMs: number | null;
}

export interface RpcDialect {
  /** The chain that endpoints must serve, as its nodes name it: a chain id, or a genesis hash. */
  readonly chain: string;
  /** Which chain a node serves, and its newest block. */
  readonly chainCall: RpcCall;
  readonly headCall: RpcCall;
  /** Null if the result is of another shape. */
  parseChain(result: unknown): string | null;
  parseHead(result: unknown): number | null;
  /** Throws for any method that is not known to be read-only, before anything is sent. */
  assertReadMethod(method: string): void;
  classifyError(error: NodeError): RpcError;
}
