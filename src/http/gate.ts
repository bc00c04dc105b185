// Who may pass: the address ceiling, then credentials, then the caller's own budget.

import { type Caller, identify } from '../access/identify.ts';
import { type Budget, type Decision, Limiter } from '../access/limiter.ts';
import type { Identity } from '../contract/handler.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface GateOptions {
  readonly ipBudget: Budget;
  readonly anonymousBudget: Budget;
  readonly identitiesMax: number;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

export interface Admission {
  readonly identity: Identity;
  /** The `RateLimit` and `RateLimit-Policy` fields of the answer. */
  readonly rateLimit: string;
  readonly rateLimitPolicy: string;
}

interface Meter {
  readonly limiter: Limiter;
  readonly policyField: string;
  readonly counters: { allowed(): void; refused(): void };
}

/** Whole seconds that are never too few: waiting them is enough. */
function toWaitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000 - 1e-9));
}

export class Gate {
  readonly #ip: Meter;
  readonly #anonymous: Meter;

  constructor(options: GateOptions) {
    const createMeter = (budget: Budget): Meter => {
      const windowSeconds = Math.ceil((budget.burst * 60) / budget.perMinute);
      const limiter = new Limiter({ ...options, budget });
      options.metrics.gauge(
        `mintwire_limiter_identities_${budget.policy}`,
        `Callers that the ${budget.policy} limiter remembers.`,
        () => limiter.size,
      );
      return {
        limiter,
        policyField: `"${budget.policy}";q=${budget.burst};w=${windowSeconds}`,
        counters: options.metrics.forPolicy(budget.policy),
      };
    };
    this.#ip = createMeter(options.ipBudget);
    this.#anonymous = createMeter(options.anonymousBudget);
  }

  /** Charges a request that no operation answers: it counts, but its own answer stands. */
  charge(addressGroup: string): void {
    this.#ip.limiter.take(addressGroup, 1);
  }

  admit(caller: Caller, cost: number): Admission {
    this.#spend(this.#ip, caller.addressGroup, cost);
    const identity = identify(caller);
    const decision = this.#spend(this.#anonymous, identity.key, cost);
    const policy = this.#anonymous.limiter.budget.policy;
    const resetSeconds = toWaitSeconds(decision.resetMs);
    return {
      identity,
      rateLimit: `"${policy}";r=${decision.remaining};t=${resetSeconds}`,
      rateLimitPolicy: this.#anonymous.policyField,
    };
  }

  #spend(meter: Meter, identity: string, cost: number): Decision {
    const decision = meter.limiter.take(identity, cost);
    if (decision.allowed) {
      meter.counters.allowed();
      return decision;
    }
    meter.counters.refused();
    const policy = meter.limiter.budget.policy;
    const retryAfterSeconds = toWaitSeconds(decision.resetMs);
    throw new AppError(
      'RATE_LIMITED',
      { policy, retryAfterSeconds },
      {
        retryAfterSeconds,
        headers: {
          RateLimit: `"${policy}";r=${decision.remaining};t=${retryAfterSeconds}`,
          'RateLimit-Policy': meter.policyField,
        },
      },
    );
  }
}
