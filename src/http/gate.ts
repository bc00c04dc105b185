// Admission: the address budget, then credentials, then the caller's own budget.

import type { Caller, Identify } from '../access/identify.ts';
import { type Budget, type Decision, Limiter } from '../access/limiter.ts';
import { buildUnauthorizedError } from '../access/unauthorized.ts';
import type { Identity, Level } from '../contract/identity.ts';
import type { AccessLevel } from '../contract/operation.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface GateOptions {
  readonly ipBudget: Budget;
  readonly budgets: Readonly<Record<Level, Budget>>;
  readonly identitiesMax: number;
  readonly identify: Identify;
  /** Called for every admitted request, which waits for the promise if one is returned. */
  readonly countUse: (identity: Identity) => Promise<void> | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** The parts of a request that matter for admission. */
export interface Passage {
  readonly cost: number;
  readonly access: AccessLevel;
  /**
   * Whether it changes something, so that a cookie alone does not prove that the page is allowed.
   */
  readonly isWrite: boolean;
}

export interface Visitor extends Caller {
  /** Whether a browser sent it, and so names a page. */
  readonly isFromPage: boolean;
  /** Whether the named page may use sessions. */
  readonly isFromOwnPage: boolean;
}

export interface Admission {
  readonly identity: Identity;
  /** The `RateLimit` and `RateLimit-Policy` fields of the response. */
  readonly rateLimit: string;
  readonly rateLimitPolicy: string;
}

/** An admitted caller, as identified by budgets. */
interface MeteredCaller {
  readonly identity: Identity;
  readonly addressGroup: string;
}

interface Meter {
  readonly limiter: Limiter;
  readonly policyField: string;
  readonly counters: { allowed(): void; refused(): void };
}

/** Rounded up, so that waiting this long is always enough. */
function toWaitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000 - 1e-9));
}

interface Refused {
  readonly identity: string;
  readonly decision: Decision;
  readonly policyField: string;
}

/** A budget is too small for the request. */
export class Refusal extends AppError<'RATE_LIMITED'> {
  readonly #limiter: Limiter;
  readonly #refused: Refused;

  constructor(limiter: Limiter, refused: Refused) {
    const { policy } = limiter.budget;
    const { decision, policyField } = refused;
    const retryAfterSeconds = toWaitSeconds(decision.resetMs);
    const headers = {
      RateLimit: `"${policy}";r=${decision.remaining};t=${retryAfterSeconds}`,
      'RateLimit-Policy': policyField,
    };
    super('RATE_LIMITED', { policy, retryAfterSeconds }, { retryAfterSeconds, headers });
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

function assertMayPass(identity: Identity, passage: Passage, visitor: Visitor): void {
  if (passage.access === 'key') {
    // A foreign page must not reach a server on its visitor's own machine through the browser.
    if (visitor.isFromPage && !visitor.isFromOwnPage) throw new AppError('ORIGIN_NOT_ALLOWED', {});
    if (identity.kind === 'session') throw buildUnauthorizedError('INVALID_API_KEY');
  }
  if (passage.access !== 'session') return;
  if (identity.kind !== 'session') {
    const isStale = identity.kind === 'anonymous' && identity.hasStaleCookie === true;
    throw buildUnauthorizedError(isStale ? 'INVALID_SESSION' : 'WALLET_SESSION_REQUIRED');
  }
  if (passage.isWrite && identity.transport === 'cookie' && !visitor.isFromOwnPage) {
    throw new AppError('ORIGIN_NOT_ALLOWED', {});
  }
}

export class Gate {
  readonly #options: GateOptions;
  readonly #ip: Meter;
  readonly #byLevel: Readonly<Record<Level, Meter>>;

  constructor(options: GateOptions) {
    this.#options = options;
    const createMeter = (budget: Budget): Meter => {
      const windowSeconds = Math.ceil((budget.burst * 60) / budget.perMinute);
      const limiter = new Limiter({ ...options, budget });
      options.metrics.gauge(
        `mintwire_limiter_identities_${budget.policy}`,
        `Callers in the memory of the ${budget.policy} limiter.`,
        () => limiter.size,
      );
      return {
        limiter,
        policyField: `"${budget.policy}";q=${budget.burst};w=${windowSeconds}`,
        counters: options.metrics.forPolicy(budget.policy),
      };
    };
    this.#ip = createMeter(options.ipBudget);
    this.#byLevel = {
      anonymous: createMeter(options.budgets.anonymous),
      key: createMeter(options.budgets.key),
      session: createMeter(options.budgets.session),
    };
  }

  /** Charges a request without a route, but does not reject it: it gets its own error. */
  charge(addressGroup: string): void {
    this.#ip.limiter.take(addressGroup, 1);
  }

  /** Charges a request that no operation handles, and rejects it above the address budget. */
  chargeOrRefuse(addressGroup: string): void {
    this.#spend(this.#ip, addressGroup, 1);
  }

  /** Synchronous unless the credential has to be looked up. */
  admit(visitor: Visitor, passage: Passage): Admission | Promise<Admission> {
    const decision = this.#spend(this.#ip, visitor.addressGroup, passage.cost);
    try {
      const identity = this.#options.identify(visitor);
      if (!(identity instanceof Promise)) return this.#admit(identity, passage, visitor);
      return identity
        .then((found) => this.#admit(found, passage, visitor))
        .catch((error: unknown) => this.#refuse(error, decision));
    } catch (error) {
      return this.#refuse(error, decision);
    }
  }

  /**
   * Requests rejected for another reason still consume budget, so they carry rate-limit headers
   * too.
   */
  #refuse(error: unknown, decision: Decision): never {
    if (error instanceof AppError) {
      const resetSeconds = toWaitSeconds(decision.resetMs);
      error.addHeaders({
        RateLimit: `"ip";r=${decision.remaining};t=${resetSeconds}`,
        'RateLimit-Policy': this.#ip.policyField,
      });
    }
    throw error;
  }

  #admit(identity: Identity, passage: Passage, visitor: Visitor): Admission | Promise<Admission> {
    assertMayPass(identity, passage, visitor);
    const admission = this.#charge(identity, passage.cost);
    const counted = this.#options.countUse(identity);
    return counted === undefined ? admission : counted.then(() => admission);
  }

  /**
   * Charges an admitted caller for more work in the same request. What was paid in advance is
   * refunded first, so that a rejection costs nothing and its wait covers the whole cost.
   */
  chargeMore(
    caller: MeteredCaller,
    more: { readonly cost: number; readonly advance?: number; readonly isRequest: boolean },
  ): Admission {
    const { identity, addressGroup } = caller;
    const { advance = 0 } = more;
    if (advance > 0) {
      this.#ip.limiter.giveBack(addressGroup, advance);
      this.#byLevel[identity.kind].limiter.giveBack(identity.key, advance);
    }
    this.#spend(this.#ip, addressGroup, more.cost);
    const admission = this.#chargeOrGiveBack(caller, more.cost);
    // The request's own use came before it, so there is nothing to wait for.
    if (more.isRequest) void this.#options.countUse(identity);
    return admission;
  }

  #chargeOrGiveBack(caller: MeteredCaller, cost: number): Admission {
    try {
      return this.#charge(caller.identity, cost);
    } catch (error) {
      this.#ip.limiter.giveBack(caller.addressGroup, cost);
      throw error;
    }
  }

  /**
   * Charges for work that is about to begin, on top of what the request has `paid`. A rejection
   * refunds that and says how long to wait for the total. Work that costs more than a whole budget
   * needs a full one, and the rest is settled once it is done: `charged` is what was charged now.
   */
  chargeAhead(
    caller: MeteredCaller,
    { cost, paid }: { readonly cost: number; readonly paid: number },
  ): { readonly charged: number; readonly admission: Admission | null } {
    const bursts = [this.#ip, this.#byLevel[caller.identity.kind]].map(
      ({ limiter }) => limiter.budget.burst,
    );
    const whole = Math.min(paid + cost, ...bursts);
    if (whole <= paid) return { charged: 0, admission: null };
    const admission = this.chargeMore(caller, { cost: whole, advance: paid, isRequest: false });
    return { charged: whole - paid, admission };
  }

  /** Charges for work that is done already and cannot be refused; a negative cost gives back. */
  chargeDone(caller: MeteredCaller, cost: number): Admission {
    const { identity, addressGroup } = caller;
    this.#ip.limiter.settle(addressGroup, cost);
    return this.#buildAdmission(
      identity,
      this.#byLevel[identity.kind].limiter.settle(identity.key, cost),
    );
  }

  #charge(identity: Identity, cost: number): Admission {
    const meter = this.#byLevel[identity.kind];
    return this.#buildAdmission(identity, this.#spend(meter, identity.key, cost));
  }

  #buildAdmission(identity: Identity, decision: Decision): Admission {
    const meter = this.#byLevel[identity.kind];
    return {
      identity,
      rateLimit: `"${meter.limiter.budget.policy}";r=${decision.remaining};t=${toWaitSeconds(decision.resetMs)}`,
      rateLimitPolicy: meter.policyField,
    };
  }

  #spend(meter: Meter, identity: string, cost: number): Decision {
    const decision = meter.limiter.take(identity, cost);
    if (decision.allowed) {
      meter.counters.allowed();
      return decision;
    }
    meter.counters.refused();
    throw new Refusal(meter.limiter, { identity, decision, policyField: meter.policyField });
  }
}
