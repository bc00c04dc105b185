// Errors between us and a node, classified by what to do about them.

export type RpcErrorKind =
  /** Timeout, broken connection, server error: retry elsewhere, or later. */
  | 'network'
  | 'rateLimited'
  /** Ask for fewer blocks. */
  | 'rangeTooLarge'
  /** The query names too many addresses or topics: ask in several. */
  | 'filterTooLarge'
  /** The reply is longer than our limit: ask for less. */
  | 'replyTooLarge'
  /** The reply contradicts itself, the request or the chain: another endpoint. */
  | 'invalidReply'
  /** This endpoint denies access (no key, no credit): another endpoint. */
  | 'denied'
  /** This endpoint does not know the method: another endpoint. */
  | 'unsupported'
  /** The node no longer has, or never had, the state of that block. */
  | 'stateUnavailable'
  /** The endpoint has not reached that block. */
  | 'lagging'
  /** The endpoint says that the position has no block: only a later block can prove it. */
  | 'skipped'
  /** The contract reverted: a retry gives the same. */
  | 'reverted'
  /** Our request is wrong: a retry gives the same. */
  | 'rejected'
  /** The endpoint serves another chain; it is not used until it is checked again. */
  | 'wrongChain'
  /** No endpoint could respond in time. */
  | 'unavailable';

interface RpcErrorDetails {
  /** The endpoint's redacted name; null if no single endpoint is meant. */
  readonly endpoint?: string | null;
  readonly code?: number | null;
  /** How long the node asked us to wait. */
  readonly retryAfterMs?: number | null;
  /** How many blocks the node says would work. */
  readonly suggestedBlocks?: number | null;
  /** It may also mean that the request asked for too much: a vague limit, a timeout, or unknown. */
  readonly ambiguous?: boolean;
  /** What a reverted call returned. */
  readonly data?: string | null;
  /** No endpoint works, which was logged when each was suspended. */
  readonly isLoggedOutage?: boolean;
  readonly cause?: unknown;
}

export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly kind: RpcErrorKind;
  readonly endpoint: string | null;
  readonly code: number | null;
  readonly retryAfterMs: number | null;
  readonly suggestedBlocks: number | null;
  readonly ambiguous: boolean;
  readonly data: string | null;
  readonly isLoggedOutage: boolean;

  constructor(kind: RpcErrorKind, message: string, details: RpcErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.kind = kind;
    this.endpoint = details.endpoint ?? null;
    this.code = details.code ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.suggestedBlocks = details.suggestedBlocks ?? null;
    this.ambiguous = details.ambiguous ?? false;
    this.data = details.data ?? null;
    this.isLoggedOutage = details.isLoggedOutage ?? false;
  }
}

export function isRpcError(error: unknown, ...kinds: readonly RpcErrorKind[]): error is RpcError {
  return error instanceof RpcError && (kinds.length === 0 || kinds.includes(error.kind));
}
