// How an endpoint is used: by whom, and how patiently.

import type { Sleep } from '../../lib/retry.ts';
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
  /**
   * What is needed of a result, picked as soon as its request is answered: results of many requests
   * need not all be in memory until the last one is.
   */
  readonly pick?: ((result: unknown, call: RpcCall) => unknown) | undefined;
}
