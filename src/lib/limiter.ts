// GCRA rate limiter: a budget that refills steadily and allows a burst, with one number per caller.

import type { Clock } from './clock.ts';

export interface Budget {
  /** The name of the policy in headers and metrics. */
  readonly policy: string;
  readonly perMinute: number;
  /** How much may be spent at once. */
  readonly burst: number;
}

export interface Decision {
  readonly allowed: boolean;
  /** What can be spent now. */
  readonly remaining: number;
  /** Until the budget is full again or, if rejected, until this request would be allowed. */
  readonly resetMs: number;
}

/** What a budget is charged to. */
export interface RequestLimiter {
  readonly budget: Budget;
  /** How many identities are in memory. */
  readonly size: number;
  /** Spends `cost` if the budget allows it; a rejected request spends nothing. */
  take(identity: string, cost: number): Decision | Promise<Decision>;
  /** The same without waiting for what other processes have spent. */
  takeNow(identity: string, cost: number): Decision;
  /** The wait until `cost` could be spent; spends nothing. */
  computeWaitMs(identity: string, cost: number): number;
  /**
   * Spends `cost` for work already done, even beyond the budget; a negative cost is refunded. A
   * deficit becomes debt, of one burst at most: nothing is allowed until it has been refilled.
   */
  settle(identity: string, cost: number): Decision;
  /** Refunds `cost`, if the identity is still in memory. */
  giveBack(identity: string, cost: number): void;
}

export interface LimiterOptions {
  readonly budget: Budget;
  readonly identitiesMax: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** The maximum debt, in bursts, including what was spent. */
export const OWED_BURSTS_MAX = 2;

// The memory of a limiter: one bucket per caller, in a bounded amount of memory.

interface CallerBucketsOptions {
  readonly identitiesMax: number;
  /** Buckets that were not looked up for this long may be dropped. */
  readonly keptMs: number;
  readonly nowMs: number;
}

/**
 * Callers are in two generations: a lookup moves one into the young generation, and the old
 * generation is dropped once it has been untouched for long enough, so that nothing is lost. If too
 * many callers arrive in that time, the oldest are evicted early to bound memory; an attacker with
 * that many addresses has their budgets anyway.
 */
export class CallerBuckets<Bucket> {
  readonly #keptMs: number;
  readonly #generationMax: number;
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();
  #youngSinceMs: number;

  constructor({ identitiesMax, keptMs, nowMs }: CallerBucketsOptions) {
    this.#keptMs = keptMs;
    this.#generationMax = Math.max(1, Math.floor(identitiesMax / 2));
    this.#youngSinceMs = nowMs;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Buckets are changed in place: a map write per request costs more than the arithmetic. */
  find(identity: string): Bucket | undefined {
    const young = this.#young.get(identity);
    if (young !== undefined) return young;
    const old = this.#old.get(identity);
    if (old !== undefined) {
      this.#old.delete(identity);
      this.#young.set(identity, old);
    }
    return old;
  }

  add(identity: string, bucket: Bucket): void {
    this.#young.set(identity, bucket);
  }

  rotate(nowMs: number): void {
    const aged = nowMs - this.#youngSinceMs >= this.#keptMs;
    if (!aged && this.#young.size < this.#generationMax) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSinceMs = nowMs;
  }
}

interface CallerBucket {
  /** The theoretical arrival time of GCRA. */
  arrivalMs: number;
}

/** Of one process: keeps the theoretical arrival time of each identity. */
export class Limiter implements RequestLimiter {
  readonly budget: Budget;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #unitMs: number;
  readonly #burstMs: number;
  readonly #buckets: CallerBuckets<CallerBucket>;

  constructor(options: LimiterOptions) {
    this.budget = options.budget;
    this.#clock = options.clock;
    this.#unitMs = 60_000 / options.budget.perMinute;
    this.#burstMs = this.#unitMs * options.budget.burst;
    this.#buckets = new CallerBuckets({
      identitiesMax: options.identitiesMax,
      keptMs: this.#burstMs * OWED_BURSTS_MAX,
      nowMs: options.clock.monotonicMs(),
    });
  }

  get size(): number {
    return this.#buckets.size;
  }

  takeNow(identity: string, cost: number): Decision {
    return this.take(identity, cost);
  }

  take(identity: string, cost: number): Decision {
    const nowMs = this.#clock.monotonicMs();
    this.#buckets.rotate(nowMs);
    const account = this.#buckets.find(identity);
    const arrivalMs = Math.max(nowMs, account?.arrivalMs ?? 0);
    const nextArrivalMs = arrivalMs + cost * this.#unitMs;
    const debtMs = nextArrivalMs - nowMs;
    // Rounding errors below a millisecond must not reject the last unit of a burst.
    const allowed = debtMs <= this.#burstMs + 1e-6;
    if (allowed) {
      if (account !== undefined) account.arrivalMs = nextArrivalMs;
      else this.#buckets.add(identity, { arrivalMs: nextArrivalMs });
    }
    const freeMs = this.#burstMs - (allowed ? debtMs : arrivalMs - nowMs);
    return {
      allowed,
      remaining: Math.max(0, Math.floor(freeMs / this.#unitMs + 1e-6)),
      resetMs: allowed ? debtMs : debtMs - this.#burstMs,
    };
  }

  computeWaitMs(identity: string, cost: number): number {
    const nowMs = this.#clock.monotonicMs();
    const arrivalMs = Math.max(nowMs, this.#buckets.find(identity)?.arrivalMs ?? 0);
    return Math.max(0, arrivalMs + cost * this.#unitMs - nowMs - this.#burstMs);
  }

  settle(identity: string, cost: number): Decision {
    const nowMs = this.#clock.monotonicMs();
    this.#buckets.rotate(nowMs);
    const account = this.#buckets.find(identity);
    const arrivalMs = Math.max(nowMs, account?.arrivalMs ?? 0) + cost * this.#unitMs;
    const latestMs = nowMs + this.#burstMs * OWED_BURSTS_MAX;
    const nextArrivalMs = Math.max(nowMs, Math.min(arrivalMs, latestMs));
    if (account !== undefined) account.arrivalMs = nextArrivalMs;
    else this.#buckets.add(identity, { arrivalMs: nextArrivalMs });
    const debtMs = nextArrivalMs - nowMs;
    const remaining = Math.max(0, Math.floor((this.#burstMs - debtMs) / this.#unitMs + 1e-6));
    return { allowed: true, remaining, resetMs: debtMs };
  }

  giveBack(identity: string, cost: number): void {
    const account = this.#buckets.find(identity);
    if (account !== undefined) account.arrivalMs -= cost * this.#unitMs;
  }
}
