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
