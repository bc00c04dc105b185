// What processes share of limits: the arrival time of each caller, and its open streams.

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

/** What a process reports and asks of a caller. All in milliseconds of refill. */
export interface LedgerEntry {
  /** Of the budget; there are few. */
  readonly policy: string;
  /** Unique over all policies. */
  readonly name: string;
  readonly burstMs: number;
  /** The debt is at least this: what this process knew before the ledger was lost. */
  readonly floorMs: number;
  /** Spent already, whatever the budget says. */
  readonly spentMs: number;
  /**
   * The part of that for work that was done before its cost was known. It is forgiven where the
   * debt exceeds two bursts; the rest never is.
   */
  readonly doneMs: number;
  /** To be spent if the budget allows it; 0 for nothing. */
  readonly wantedMs: number;
}

export interface LedgerReply {
  /** Whether what was wanted is spent now. */
  readonly allowed: boolean;
  /** Until the budget is full again. */
  readonly debtMs: number;
}

export interface StreamClaim {
  readonly owner: string;
  /** The owner's streams on this process, with the one that is asked for. */
  readonly count: number;
  /** Over all processes. */
  readonly limit: number;
  /** The processes that are there: what others have counted is forgotten. */
  readonly nodes: readonly string[];
}

export interface LimitLedger {
  /** False while it does not answer. */
  readonly isUp: boolean;
  /** Another number after each time that it was down: what it had may be lost. */
  readonly term: number;
  /** One reply for each entry, in order; rejects if there is no answer in time. */
  settle(entries: readonly LedgerEntry[]): Promise<readonly LedgerReply[]>;
  /** Counts an owner's streams on this process, if the limit allows one more. */
  takeStream(request: StreamClaim): Promise<boolean>;
  /** Says how many streams owners have on this process. */
  putStreams(counts: ReadonlyMap<string, number>): Promise<void>;
}
