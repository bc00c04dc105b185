// A budget that several processes share, through a ledger.
//
// A request is decided here if what this process has spent and not settled stays within its part of
// a small tolerance, so that all processes together exceed the budget by no more than that; what
// was spent is settled afterwards. Faster callers are decided by the ledger. A refusal is always
// local: other processes can only have spent more. While the ledger is down each process has an
// equal share of the budget.

import {
  type Budget,
  CallerBuckets,
  type Decision,
  type LimiterOptions,
  OWED_BURSTS_MAX,
  type RequestLimiter,
} from '../../lib/limiter.ts';
import type { LimitSettler, SharedBucket } from './limit-settler.ts';

/** Of a burst: how much all processes together may spend beyond the budget. */
const TOLERANCE = 0.05;
/** Rounding errors below a millisecond must not reject the last unit of a burst. */
const ROUNDING_MS = 1e-3;

export class SharedLimiter implements RequestLimiter {
  readonly budget: Budget;
  readonly #clock: LimiterOptions['clock'];
  readonly #settler: LimitSettler;
  readonly #prefix: string;
  readonly #unitMs: number;
  readonly #burstMs: number;
  readonly #buckets: CallerBuckets<SharedBucket>;

  constructor(options: LimiterOptions & { readonly settler: LimitSettler }) {
    const { policy, perMinute, burst } = options.budget;
    this.budget = options.budget;
    this.#clock = options.clock;
    this.#settler = options.settler;
    // Parts of a budget have one policy, and each size has callers of its own.
    this.#prefix = `${policy} ${perMinute} `;
    this.#unitMs = 60_000 / perMinute;
    this.#burstMs = this.#unitMs * burst;
    this.#buckets = new CallerBuckets({
      identitiesMax: options.identitiesMax,
      keptMs: this.#burstMs * OWED_BURSTS_MAX,
      nowMs: options.clock.monotonicMs(),
    });
  }

  get size(): number {
    return this.#buckets.size;
  }

  take(identity: string, cost: number): Decision | Promise<Decision> {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#open(identity, nowMs);
    const costMs = cost * this.#countUnitMs();
    const settler = this.#settler;
    if (!settler.isUp) return this.#takeShare(bucket, costMs, nowMs);
    if (this.#computeDebtMs(bucket, nowMs) + costMs > this.#burstMs + ROUNDING_MS) {
      return this.#refuse(bucket, costMs, nowMs);
    }
    const toleratedMs = (this.#burstMs * TOLERANCE) / settler.nodes;
    const unsettledMs = bucket.unsentMs + bucket.sentMs + costMs;
    if (unsettledMs <= toleratedMs + ROUNDING_MS) return this.#spend(bucket, costMs, nowMs);
    return this.#ask(bucket, cost);
  }

  takeNow(identity: string, cost: number): Decision {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#open(identity, nowMs);
    const costMs = cost * this.#countUnitMs();
    if (!this.#settler.isUp) return this.#takeShare(bucket, costMs, nowMs);
    const isAllowed = this.#computeDebtMs(bucket, nowMs) + costMs <= this.#burstMs + ROUNDING_MS;
    return isAllowed ? this.#spend(bucket, costMs, nowMs) : this.#refuse(bucket, costMs, nowMs);
  }

  computeWaitMs(identity: string, cost: number): number {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#buckets.find(identity);
    const debtMs = bucket === undefined ? 0 : this.#computeDebtMs(bucket, nowMs);
    const costMs = cost * this.#countUnitMs();
    const mostMs = this.#settler.isUp ? this.#burstMs : Math.max(this.#burstMs, costMs);
    return Math.max(0, debtMs + costMs - mostMs);
  }

  settle(identity: string, cost: number): Decision {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#open(identity, nowMs);
    const latestMs = Math.max(bucket.arrivalMs, nowMs + this.#burstMs * OWED_BURSTS_MAX);
    const costMs = cost * this.#countUnitMs();
    this.#spend(bucket, costMs, nowMs);
    if (this.#settler.isUp) bucket.unsentDoneMs += costMs;
    bucket.arrivalMs = Math.max(nowMs, Math.min(bucket.arrivalMs, latestMs));
    const debtMs = bucket.arrivalMs - nowMs;
    return { allowed: true, remaining: this.#countFree(debtMs), resetMs: debtMs };
  }

  giveBack(identity: string, cost: number): void {
    const bucket = this.#buckets.find(identity);
    if (bucket === undefined) return;
    const costMs = cost * this.#countUnitMs();
    bucket.arrivalMs -= costMs;
    if (!this.#settler.isUp) return;
    bucket.unsentMs -= costMs;
    this.#settler.queue(bucket);
  }

  #open(identity: string, nowMs: number): SharedBucket {
    this.#buckets.rotate(nowMs);
    const { isUp, term } = this.#settler;
    const known = this.#buckets.find(identity);
    if (known !== undefined) {
      if (isUp && known.term !== term) this.#renew(known, nowMs);
      return known;
    }
    const name = this.#prefix + identity;
    const bucket: SharedBucket = {
      ...{ name, burstMs: this.#burstMs, arrivalMs: 0, unsentMs: 0, sentMs: 0, floorMs: 0 },
      ...{ policy: this.budget.policy, unsentDoneMs: 0, term, isQueued: false },
    };
    this.#buckets.add(identity, bucket);
    return bucket;
  }

  /** The ledger is back, and may have lost everything: it gets what is known here. */
  #renew(bucket: SharedBucket, nowMs: number): void {
    bucket.term = this.#settler.term;
    bucket.floorMs = this.#computeDebtMs(bucket, nowMs);
    bucket.unsentMs = 0;
    bucket.unsentDoneMs = 0;
    this.#settler.queue(bucket);
  }

  /**
   * What a unit costs. Without the ledger all processes are taken to spend at the same rate, so
   * each unit counts for all of them.
   */
  #countUnitMs(isUp = this.#settler.isUp): number {
    return isUp ? this.#unitMs : this.#unitMs * this.#settler.nodes;
  }

  #computeDebtMs(bucket: SharedBucket, nowMs: number): number {
    return Math.max(0, bucket.arrivalMs - nowMs);
  }

  #spend(bucket: SharedBucket, costMs: number, nowMs: number): Decision {
    const debtMs = this.#computeDebtMs(bucket, nowMs) + costMs;
    bucket.arrivalMs = nowMs + debtMs;
    if (this.#settler.isUp) {
      bucket.unsentMs += costMs;
      this.#settler.queue(bucket);
    }
    return { allowed: true, remaining: this.#countFree(debtMs), resetMs: debtMs };
  }

  #refuse(bucket: SharedBucket, costMs: number, nowMs: number): Decision {
    const debtMs = this.#computeDebtMs(bucket, nowMs);
    const resetMs = Math.max(0, debtMs + costMs - this.#burstMs);
    return { allowed: false, remaining: this.#countFree(debtMs), resetMs };
  }

  async #ask(bucket: SharedBucket, cost: number): Promise<Decision> {
    const costMs = cost * this.#countUnitMs(true);
    const allowed = await this.#settler.take(bucket, costMs);
    const nowMs = this.#clock.monotonicMs();
    if (allowed === null) return this.#takeShare(bucket, cost * this.#countUnitMs(false), nowMs);
    if (!allowed) return this.#refuse(bucket, costMs, nowMs);
    const debtMs = this.#computeDebtMs(bucket, nowMs);
    return { allowed, remaining: this.#countFree(debtMs), resetMs: debtMs };
  }

  /** A request that costs more than a share needs a full one. */
  #takeShare(bucket: SharedBucket, costMs: number, nowMs: number): Decision {
    const debtMs = this.#computeDebtMs(bucket, nowMs) + costMs;
    const mostMs = Math.max(this.#burstMs, costMs);
    if (debtMs > mostMs + ROUNDING_MS) {
      return { allowed: false, remaining: 0, resetMs: debtMs - mostMs };
    }
    bucket.arrivalMs = nowMs + debtMs;
    return { allowed: true, remaining: this.#countFree(debtMs), resetMs: debtMs };
  }

  #countFree(debtMs: number): number {
    return Math.max(0, Math.floor((this.#burstMs - debtMs) / this.#countUnitMs() + 1e-6));
  }
}
