// Admission: the address budget, then credentials, then the caller's own budget.

import { LRUCache } from 'lru-cache';
import type { Caller, Identify } from '../access/identify.ts';
import { buildShare } from '../access/keys.ts';
import { buildUnauthorizedError } from '../access/unauthorized.ts';
import type { Identity, Level } from '../contract/identity.ts';
import { type AccessLevel, isOwned } from '../contract/operation.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import {
  type Budget,
  type Decision,
  Limiter,
  type LimiterOptions,
  type RequestLimiter,
} from '../lib/limiter.ts';
import { DEFAULT_KEY_SCOPES, type KeyScope } from '../model/key-limits.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { Refusal, toWaitSeconds } from './problem.ts';

export interface GateOptions {
  readonly ipBudget: Budget;
  readonly budgets: Readonly<Record<Level, Budget>>;
  /** Of the tiers that wallets were given, by name. */
  readonly tierBudgets?: ReadonlyMap<string, Budget>;
  readonly identitiesMax: number;
  /** Limits that several processes share; by default those of this one. */
  readonly createLimiter?: ((options: LimiterOptions) => RequestLimiter) | undefined;
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
  /** What a key needs for it. */
  readonly scope: KeyScope;
  /**
   * Whether it changes something, so that a cookie alone does not prove that the page is allowed.
   */
  readonly isWrite: boolean;
}

interface Visitor extends Caller {
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
  readonly limiter: RequestLimiter;
  readonly policyField: string;
  readonly counters: { allowed(): void; refused(): void };
}

const DEFAULT_SCOPES: ReadonlySet<KeyScope> = new Set(DEFAULT_KEY_SCOPES);

/** Within what the owner of the key has allowed. */
function assertKeyMayPass(identity: Identity, passage: Passage, visitor: Visitor): void {
  if (identity.kind !== 'key') return;
  if (identity.limits?.isAllowedFrom(visitor.addressGroup) === false) {
    throw new AppError('KEY_NOT_PERMITTED', { reason: 'it may not be used from this address' });
  }
  const scopes = identity.limits?.scopes ?? DEFAULT_SCOPES;
  if (!scopes.has(passage.scope)) {
    const reason = `it does not have the scope \`${passage.scope}\``;
    throw new AppError('KEY_NOT_PERMITTED', { reason });
  }
}

function assertMayPass(identity: Identity, passage: Passage, visitor: Visitor): void {
  if (passage.access === 'key') {
    // A foreign page must not reach a server on its visitor's own machine through the browser.
    if (visitor.isFromPage && !visitor.isFromOwnPage) throw new AppError('ORIGIN_NOT_ALLOWED', {});
    if (identity.kind === 'session') throw buildUnauthorizedError('INVALID_API_KEY');
  }
  const isForKeys = passage.access !== 'session' && identity.kind === 'key';
  if (isForKeys || !isOwned(passage)) {
    assertKeyMayPass(identity, passage, visitor);
    return;
  }
  if (identity.kind !== 'session') {
    const isStale = identity.kind === 'anonymous' && identity.hasStaleCookie === true;
    if (isStale) throw buildUnauthorizedError('INVALID_SESSION');
    const isKey = identity.kind === 'key';
    throw buildUnauthorizedError(
      'WALLET_SESSION_REQUIRED',
      isKey ? 'an API key is not enough' : undefined,
    );
  }
  if (passage.isWrite && identity.transport === 'cookie' && !visitor.isFromOwnPage) {
    throw new AppError('ORIGIN_NOT_ALLOWED', {});
  }
}

type Counters = Meter['counters'];

/**
 * How many sizes of parts are kept, each with the callers in its memory. A key whose part is
 * evicted has the whole of it again, within the budget of its wallet.
 */
const SHARES_MAX = 1000;

function createMeter(options: GateOptions, budget: Budget, counters?: Counters): Meter {
  const windowSeconds = Math.ceil((budget.burst * 60) / budget.perMinute);
  const { clock, identitiesMax } = options;
  const of = { budget, clock, identitiesMax };
  return {
    limiter: options.createLimiter?.(of) ?? new Limiter(of),
    policyField: `"${budget.policy}";q=${budget.burst};w=${windowSeconds}`,
    counters: counters ?? options.metrics.forPolicy(budget.policy),
  };
}

function buildAdmission(identity: Identity, meter: Meter, decision: Decision): Admission {
  const { policy } = meter.limiter.budget;
  return {
    identity,
    rateLimit: `"${policy}";r=${decision.remaining};t=${toWaitSeconds(decision.resetMs)}`,
    rateLimitPolicy: meter.policyField,
  };
}

/** A budget that an identity is charged to, under its name there. */
interface Account {
  readonly meter: Meter;
  readonly name: string;
}

interface Spending {
  /** Who spends, as the limiter knows it. */
  readonly name: string;
  readonly cost: number;
  /** Whose budget it is; not given for that of an address. */
  readonly caller?: Identity;
}

export class Gate {
  readonly #options: GateOptions;
  readonly #ip: Meter;
  readonly #byLevel: Readonly<Record<Level, Meter>>;
  readonly #byTier: ReadonlyMap<string, Meter>;
  /** Of keys with a part of a budget, by its size. */
  readonly #shares = new LRUCache<string, Meter>({ max: SHARES_MAX });
  #shareCounters: Counters | null = null;

  constructor(options: GateOptions) {
    this.#options = options;
    const createLevelMeter = (budget: Budget): Meter => {
      const meter = createMeter(options, budget);
      options.metrics.gauge(
        `mintwire_limiter_identities_${budget.policy}`,
        `Callers in the memory of the ${budget.policy} limiter.`,
        () => meter.limiter.size,
      );
      return meter;
    };
    this.#ip = createLevelMeter(options.ipBudget);
    this.#byLevel = {
      anonymous: createLevelMeter(options.budgets.anonymous),
      key: createLevelMeter(options.budgets.key),
      session: createLevelMeter(options.budgets.session),
    };
    const budgets = options.tierBudgets ?? new Map<string, Budget>();
    this.#byTier = new Map(
      Array.from(budgets, ([name, budget]) => [name, createMeter(options, budget)]),
    );
  }

  /** Keys and sessions of a wallet with a tier of its own share that tier's budget. */
  #findMeter(identity: Identity): Meter {
    const tier = identity.kind === 'anonymous' ? null : identity.tier;
    const own = tier === null ? undefined : this.#byTier.get(tier);
    return own ?? this.#byLevel[identity.kind];
  }

  /** Charges a request without a route, but does not reject it: it gets its own error. */
  charge(addressGroup: string): void {
    this.#ip.limiter.takeNow(addressGroup, 1);
  }

  /** Charges a request that no operation handles, and rejects it above the address budget. */
  chargeOrRefuse(addressGroup: string): void {
    this.#spendNow(this.#ip, { name: addressGroup, cost: 1 });
  }

  /** Synchronous unless a credential has to be looked up, or a budget that others share. */
  admit(visitor: Visitor, passage: Passage): Admission | Promise<Admission> {
    const decision = this.#spend(this.#ip, {
      name: visitor.addressGroup,
      cost: passage.cost,
    });
    if (!(decision instanceof Promise)) return this.#identify(visitor, passage, decision);
    return decision.then((found) => this.#identify(visitor, passage, found));
  }

  /** `decision` is that of the address. */
  #identify(
    visitor: Visitor,
    passage: Passage,
    decision: Decision,
  ): Admission | Promise<Admission> {
    try {
      const identity = this.#options.identify(visitor);
      const admission =
        identity instanceof Promise
          ? identity.then((found) => this.#admit(found, passage, visitor))
          : this.#admit(identity, passage, visitor);
      if (!(admission instanceof Promise)) return admission;
      return admission.catch((error: unknown) => this.#refuse(error, decision));
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
    if (!(admission instanceof Promise)) return this.#count(admission);
    return admission.then((found) => this.#count(found));
  }

  #count(admission: Admission): Admission | Promise<Admission> {
    const counted = this.#options.countUse(admission.identity);
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
      for (const { meter, name } of this.#listAccounts(identity)) {
        meter.limiter.giveBack(name, advance);
      }
    }
    this.#spendNow(this.#ip, { name: addressGroup, cost: more.cost });
    const admission = this.#chargeOrGiveBack(caller, more.cost);
    // The request's own use came before it, so there is nothing to wait for.
    if (more.isRequest) void this.#options.countUse(identity);
    return admission;
  }

  #chargeOrGiveBack(caller: MeteredCaller, cost: number): Admission {
    try {
      return this.#chargeNow(caller.identity, cost);
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
    const bursts = this.#listAccounts(caller.identity).map(
      ({ meter }) => meter.limiter.budget.burst,
    );
    const whole = Math.min(paid + cost, this.#ip.limiter.budget.burst, ...bursts);
    if (whole <= paid) return { charged: 0, admission: null };
    const admission = this.chargeMore(caller, { cost: whole, advance: paid, isRequest: false });
    return { charged: whole - paid, admission };
  }

  /** Charges for work that is done already and cannot be refused; a negative cost gives back. */
  chargeDone(caller: MeteredCaller, cost: number): Admission {
    const { identity, addressGroup } = caller;
    this.#ip.limiter.settle(addressGroup, cost);
    const share = this.#findShare(identity);
    const meter = this.#findMeter(identity);
    const decision = meter.limiter.settle(identity.key, cost);
    if (share === null) return buildAdmission(identity, meter, decision);
    return buildAdmission(identity, share.meter, share.meter.limiter.settle(share.name, cost));
  }

  /** A key with a part of the budget is charged there, too, and shown that. */
  #charge(identity: Identity, cost: number): Admission | Promise<Admission> {
    const share = this.#findShare(identity);
    if (share !== null) return this.#chargeBoth(identity, share, cost);
    const meter = this.#findMeter(identity);
    const decision = this.#spend(meter, { name: identity.key, cost, caller: identity });
    if (!(decision instanceof Promise)) return buildAdmission(identity, meter, decision);
    return decision.then((found) => buildAdmission(identity, meter, found));
  }

  async #chargeBoth(identity: Identity, { meter, name }: Account, cost: number) {
    const decision = await this.#spend(meter, { name, cost, caller: identity });
    const own = { name: identity.key, cost, caller: identity };
    try {
      await this.#spend(this.#findMeter(identity), own);
    } catch (error) {
      meter.limiter.giveBack(name, cost);
      throw error;
    }
    return buildAdmission(identity, meter, decision);
  }

  #chargeNow(identity: Identity, cost: number): Admission {
    const meter = this.#findMeter(identity);
    const own = { name: identity.key, cost, caller: identity };
    const share = this.#findShare(identity);
    if (share === null) return buildAdmission(identity, meter, this.#spendNow(meter, own));
    const decision = this.#spendNow(share.meter, { ...own, name: share.name });
    try {
      this.#spendNow(meter, own);
    } catch (error) {
      share.meter.limiter.giveBack(share.name, cost);
      throw error;
    }
    return buildAdmission(identity, share.meter, decision);
  }

  #listAccounts(identity: Identity): readonly Account[] {
    const own = { meter: this.#findMeter(identity), name: identity.key };
    const share = this.#findShare(identity);
    return share === null ? [own] : [own, share];
  }

  #findShare(identity: Identity): Account | null {
    if (identity.kind !== 'key' || identity.limits === null) return null;
    const { perMinute } = identity.limits;
    if (perMinute === null) return null;
    const budget = buildShare(this.#findMeter(identity).limiter.budget, perMinute);
    const size = `${perMinute} ${budget.burst}`;
    let meter = this.#shares.get(size);
    if (meter === undefined) {
      this.#shareCounters ??= this.#options.metrics.forPolicy(budget.policy);
      meter = createMeter(this.#options, budget, this.#shareCounters);
      this.#shares.set(size, meter);
    }
    return { meter, name: identity.keyId };
  }

  #spend(meter: Meter, spending: Spending): Decision | Promise<Decision> {
    const decision = meter.limiter.take(spending.name, spending.cost);
    if (!(decision instanceof Promise)) return this.#note(meter, spending, decision);
    return decision.then((found) => this.#note(meter, spending, found));
  }

  /** Does not wait for what other processes have spent. */
  #spendNow(meter: Meter, spending: Spending): Decision {
    return this.#note(meter, spending, meter.limiter.takeNow(spending.name, spending.cost));
  }

  /** Counts a decision; throws if it is a refusal. */
  #note(meter: Meter, { name: identity, caller }: Spending, decision: Decision): Decision {
    if (decision.allowed) {
      meter.counters.allowed();
      return decision;
    }
    meter.counters.refused();
    const { limiter, policyField } = meter;
    throw new Refusal(limiter, { caller: caller ?? null, identity, decision, policyField });
  }
}
