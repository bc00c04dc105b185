// A provider's limit of calls a second, by an injected clock: every call in a batch counts.

import type { Clock } from '../../src/lib/clock.ts';
import type { FakeCall, Mischief, Misdeed } from './misbehaving-rpc.ts';

interface RateLimit {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly callsPerSecond: number;
  /** What is over the rate gets: a status for the whole request, or an error for each call. */
  readonly over: 'status' | 'items';
  readonly retryAfter?: string;
  /** What a call costs, of the same; 1 by default. */
  costOf?(call: FakeCall): number;
}

/** Within each second of the clock; a refused request counts as nothing. */
export function limitRate(limit: RateLimit): Mischief & { readonly refusedCount: number } {
  const { clock, callsPerSecond, over, retryAfter, costOf = () => 1 } = limit;
  let second = -1;
  let spent = 0;
  /** Calls of the current request that are still to come, and what happens to them. */
  let comingCount = 0;
  let isRefused = false;
  let refusedCount = 0;
  const refusal: Misdeed =
    over === 'items'
      ? { do: 'error', code: -32005, message: 'Too many requests' }
      : {
          ...{ do: 'reply', status: 429, text: '<html>too many requests</html>' },
          ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
        };
  const mischief = (call: FakeCall): Misdeed | null => {
    const now = Math.floor(clock.monotonicMs() / 1000);
    if (now !== second) {
      second = now;
      spent = 0;
    }
    const cost = costOf(call);
    if (comingCount === 0) {
      comingCount = call.batch;
      isRefused = over === 'status' && spent + cost * call.batch > callsPerSecond;
    }
    comingCount -= 1;
    if (over === 'items') isRefused = spent + cost > callsPerSecond;
    if (!isRefused) spent += cost;
    else refusedCount += 1;
    return isRefused ? refusal : null;
  };
  return Object.defineProperty(mischief, 'refusedCount', {
    get: () => refusedCount,
  }) as Mischief & {
    readonly refusedCount: number;
  };
}
