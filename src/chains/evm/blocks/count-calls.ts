// Counts the calls that a reading sends, for the budget of its caller.

import type { RpcOutcome } from '../../rpc/parse-rpc-reply.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { LogEndpoint } from '../../rpc/rpc-endpoint.ts';

export interface CountedCall {
  readonly count: number;
  add(count: number): void;
  request(endpoint: LogEndpoint, call: RpcCall, signal?: AbortSignal): Promise<unknown>;
  batch(
    endpoint: LogEndpoint,
    calls: readonly RpcCall[],
    signal?: AbortSignal,
  ): Promise<readonly RpcOutcome[]>;
}

export function countCalls(): CountedCall {
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(more) {
      count += more;
    },
    request(endpoint, call, signal) {
      count += 1;
      return endpoint.request(call, signal);
    },
    async batch(endpoint, calls, signal) {
      count += calls.length;
      return calls.length === 0 ? [] : await endpoint.batch(calls, { signal });
    },
  };
}
