// The answer to a request that a budget does not allow.

import type { Identity } from '../contract/identity.ts';
import { AppError } from '../errors/app-error.ts';
import type { Decision, RequestLimiter } from '../lib/limiter.ts';

/** Rounded up, so that waiting this long is always enough. */
export function toWaitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000 - 1e-9));
}

interface Refused {
  readonly caller: Identity | null;
  readonly identity: string;
  readonly decision: Decision;
  readonly policyField: string;
}

/** A budget is too small for the request. */
export class Refusal extends AppError<'RATE_LIMITED'> {
  /** Whose budget it is; null for that of an address. */
  readonly caller: Identity | null;
  readonly #limiter: RequestLimiter;
  readonly #refused: Refused;

  constructor(limiter: RequestLimiter, refused: Refused) {
    const { policy } = limiter.budget;
    const { decision, policyField } = refused;
    const retryAfterSeconds = toWaitSeconds(decision.resetMs);
    const headers = {
      RateLimit: `"${policy}";r=${decision.remaining};t=${retryAfterSeconds}`,
      'RateLimit-Policy': policyField,
    };
    super('RATE_LIMITED', { policy, retryAfterSeconds }, { retryAfterSeconds, headers });
    this.caller = refused.caller;
    this.#limiter = limiter;
    this.#refused = refused;
  }

  /** The same for another cost, if that is known only later. */
  withCost(cost: number): Refusal {
    const { identity, decision } = this.#refused;
    const resetMs = this.#limiter.computeWaitMs(identity, cost);
    return new Refusal(this.#limiter, { ...this.#refused, decision: { ...decision, resetMs } });
  }
}
