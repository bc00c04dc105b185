// Carries what limiters spend to the ledger, many callers at once and after the answer; and asks it
// for those that may not be decided here.

import type { LimitLedger } from './limit-ledger.ts';

/** A caller's budget as this process knows it. */
export interface SharedBucket {
  readonly policy: string;
  readonly name: string;
  readonly burstMs: number;
  /** The theoretical arrival time of GCRA, with all that this process has spent. */
  arrivalMs: number;
  /** Spent here and not sent to the ledger. */
  unsentMs: number;
  /** The part of that for work that was done already. */
  unsentDoneMs: number;
  /** Sent and not confirmed. */
  sentMs: number;
  /** The debt that the ledger may have lost. */
  floorMs: number;
  /** Of the ledger, when this was last used. */
  term: number;
  isQueued: boolean;
}

interface LimitSettlerOptions {
  readonly ledger: LimitLedger;
  /** How many processes share the budgets, this one included. */
  readonly countNodes: () => number;
  readonly monotonicMs: () => number;
}

interface AskedSpending {
  readonly bucket: SharedBucket;
  readonly costMs: number;
  readonly done: (allowed: boolean | null) => void;
}

/** How long spending waits to be sent. */
const FLUSH_MS = 10;
const ENTRIES_MAX = 500;

export class LimitSettler {
  readonly #options: LimitSettlerOptions;
  #queue: SharedBucket[] = [];
  #waiters: AskedSpending[] = [];
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;

  constructor(options: LimitSettlerOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#options.ledger.isUp;
  }

  get term(): number {
    return this.#options.ledger.term;
  }

  get nodes(): number {
    return this.#options.countNodes();
  }

  /** Sends what was spent soon. */
  queue(bucket: SharedBucket): void {
    if (bucket.isQueued) return;
    bucket.isQueued = true;
    this.#queue.push(bucket);
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#flush();
    }, FLUSH_MS);
    this.#timer.unref();
  }

  /** Spends by the ledger's word; null if it does not answer. */
  take(bucket: SharedBucket, costMs: number): Promise<boolean | null> {
    const { promise, resolve: done } = Promise.withResolvers<boolean | null>();
    this.#waiters.push({ bucket, costMs, done });
    // All that arrive in one turn go together.
    this.#immediate ??= setImmediate(() => {
      this.#immediate = null;
      this.#flush();
    });
    return promise;
  }

  #flush(): void {
    const waiters = this.#waiters;
    const asked = new Set(waiters.map(({ bucket }) => bucket));
    const others = this.#queue.filter((bucket) => !asked.has(bucket));
    this.#queue = [];
    this.#waiters = [];
    const wishes: AskedSpending[] = [
      ...waiters,
      ...others.map((bucket) => ({ bucket, costMs: 0, done: () => undefined })),
    ];
    for (let start = 0; start < wishes.length; start += ENTRIES_MAX) {
      void this.#send(wishes.slice(start, start + ENTRIES_MAX));
    }
  }

  async #send(wishes: readonly AskedSpending[]): Promise<void> {
    const entries = wishes.map(({ bucket, costMs }) => {
      const { policy, name, burstMs, floorMs, unsentMs, unsentDoneMs } = bucket;
      bucket.isQueued = false;
      bucket.sentMs += unsentMs;
      bucket.unsentMs = 0;
      bucket.unsentDoneMs = 0;
      bucket.floorMs = 0;
      const spent = { spentMs: unsentMs, doneMs: unsentDoneMs };
      return { policy, name, burstMs, floorMs, ...spent, wantedMs: costMs };
    });
    const replies = await this.#options.ledger.settle(entries).catch(() => null);
    const nowMs = this.#options.monotonicMs();
    for (const [index, { bucket, done }] of wishes.entries()) {
      bucket.sentMs -= entries[index]?.spentMs ?? 0;
      const reply = replies?.[index];
      if (reply !== undefined) {
        bucket.arrivalMs = nowMs + reply.debtMs + bucket.sentMs + bucket.unsentMs;
      }
      done(reply?.allowed ?? null);
    }
  }
}
