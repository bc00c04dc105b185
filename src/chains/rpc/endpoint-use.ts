// How an endpoint is used: by whom, and what is kept of the replies to a batch.

import type { Sleep } from '../../lib/retry.ts';
import type { ValueBytes } from './json-bytes.ts';
import type { RpcCall } from './rpc-dialect.ts';

/** Who asks, and how patiently. */
export interface EndpointUse {
  /** Whether a client waits: then it goes first, and does not wait for long. */
  readonly isUrgent: boolean;
  readonly sleep: Sleep;
  /** Whether calls that were refused for their rate, the others not, are repeated here. */
  staysWhenLimited(hasAnswers: boolean): boolean;
}

export interface BatchOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * If replies may be long: how many calls the first requests have. Later ones have as many as a
   * reply of `LONG_REPLY_BYTES` answers, by what came back last.
   */
  readonly callsAtFirst?: number;
  readonly digest?: Digest;
}

/**
 * What to keep of a result, read as soon as its request is answered: results of many requests need
 * not all be in memory until the last one is.
 */
export interface Digest {
  parse(result: unknown, call: RpcCall): unknown;
  /** The same from the bytes of the result; undefined if it must be parsed. */
  scan(bytes: ValueBytes, call: RpcCall): unknown;
}
