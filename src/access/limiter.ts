// GCRA rate limiter: a budget that refills steadily and allows a burst, with one number per caller.

import type { Clock } from '../lib/clock.ts';

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

interface LimiterOptions {
  readonly budget: Budget;
  readonly identitiesMax: number;
  readonly clock: Clock;
}

/** The maximum debt, in bursts, including what was spent. */
const OWED_BURSTS_MAX = 2;

interface CallerBucket {
  /** The theoretical arrival time of GCRA. */
  arrivalMs: number;
}

/**
 * Keeps the theoretical arrival time of each identity. Identities are in two generations: a lookup
 * moves one into the young generation, and the old generation is dropped once it has been untouched
 * for the time that the maximum debt takes to refill, so that nothing is lost. If too many
 * identities arrive in that time, the oldest are evicted early to bound memory; an attacker with
 * that many addresses has their budgets anyway.
 */
export class Limiter {
  readonly budget: Budget;
  readonly #clock: Clock;
  readonly #unitMs: number;
  readonly #burstMs: number;
  readonly #generationMax: number;
  #young = new Map<string, CallerBucket>();
  #old = new Map<string, CallerBucket>();
  #youngSinceMs: number;

  constructor(options: LimiterOptions) {
    this.budget = options.budget;
    this.#clock = options.clock;
    this.#unitMs = 60_000 / options.budget.perMinute;
    this.#burstMs = this.#unitMs * options.budget.burst;
    this.#generationMax = Math.max(1, Math.floor(options.identitiesMax / 2));
    this.#youngSinceMs = options.clock.monotonicMs();
  }

  /** How many identities are in memory. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Spends `cost` if the budget allows it; a rejected request spends nothing. */
  take(identity: string, cost: number): Decision {
    const nowMs = this.#clock.monotonicMs();
    this.#rotate(nowMs);
    const account = this.#find(identity);
    const arrivalMs = Math.max(nowMs, account?.arrivalMs ?? 0);
    const nextArrivalMs = arrivalMs + cost * this.#unitMs;
    const debtMs = nextArrivalMs - nowMs;
    // Rounding errors below a millisecond must not reject the last unit of a burst.
    const allowed = debtMs <= this.#burstMs + 1e-6;
    if (allowed) {
      if (account !== undefined) account.arrivalMs = nextArrivalMs;
      else this.#young.set(identity, { arrivalMs: nextArrivalMs });
    }
    const freeMs = this.#burstMs - (allowed ? debtMs : arrivalMs - nowMs);
    return {
      allowed,
      remaining: Math.max(0, Math.floor(freeMs / this.#unitMs + 1e-6)),
      resetMs: allowed ? debtMs : debtMs - this.#burstMs,
    };
  }

  /** The wait until `cost` could be spent; spends nothing. */
  computeWaitMs(identity: string, cost: number): number {
    const nowMs = this.#clock.monotonicMs();
    const arrivalMs = Math.max(nowMs, this.#find(identity)?.arrivalMs ?? 0);
    return Math.max(0, arrivalMs + cost * this.#unitMs - nowMs - this.#burstMs);
  }

  /**
   * Spends `cost` for work already done, even beyond the budget; a negative cost is refunded. A
   * deficit becomes debt, of one burst at most: nothing is allowed until it has been refilled.
   */
  settle(identity: string, cost: number): Decision {
    const nowMs = this.#clock.monotonicMs();
    this.#rotate(nowMs);
    const account = this.#find(identity);
    const arrivalMs = Math.max(nowMs, account?.arrivalMs ?? 0) + cost * this.#unitMs;
    const latestMs = nowMs + this.#burstMs * OWED_BURSTS_MAX;
    const nextArrivalMs = Math.max(nowMs, Math.min(arrivalMs, latestMs));
    if (account !== undefined) account.arrivalMs = nextArrivalMs;
    else this.#young.set(identity, { arrivalMs: nextArrivalMs });
    const debtMs = nextArrivalMs - nowMs;
    const remaining = Math.max(0, Math.floor((this.#burstMs - debtMs) / this.#unitMs + 1e-6));
    return { allowed: true, remaining, resetMs: debtMs };
  }

  /** Refunds `cost`, if the identity is still in memory. */
  giveBack(identity: string, cost: number): void {
    const account = this.#find(identity);
    if (account !== undefined) account.arrivalMs -= cost * this.#unitMs;
  }

  /** Accounts are changed in place: a map write per request costs more than the arithmetic. */
  #find(identity: string): CallerBucket | undefined {
    const young = this.#young.get(identity);
    if (young !== undefined) return young;
    const old = this.#old.get(identity);
    if (old !== undefined) {
      this.#old.delete(identity);
      this.#young.set(identity, old);
    }
    return old;
  }

  #rotate(nowMs: number): void {
    const aged = nowMs - this.#youngSinceMs >= this.#burstMs * OWED_BURSTS_MAX;
    if (!aged && this.#young.size < this.#generationMax) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSinceMs = nowMs;
  }
}
