// Counts the work of a route search in evaluations: one is one reading of a pool's curve.
//
// Counted and not timed, so that the same request always takes the same work, on any thread and at
// any load. A search that reaches its limit stops improving and returns the best result so far.

/** An exact swap takes about as long as this many readings of a curve. */
export const SWAP_EVALUATIONS = 24;
/** All other work on one pool when pools are split, weighed or shown. */
export const POOL_EVALUATIONS = 16;

/** The limit of one search. The largest trades over 200 pools took a third of it. */
const EVALUATIONS_MAX = 6_000_000;

/** Some 0.5 ms of a long search, with all that it does besides: a thread pauses that often. */
export const PAUSE_EVALUATIONS = 3_000;

/** Thrown by a search that exceeds the limit of its thread: it must run elsewhere. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

interface SearchWorkOptions {
  /** Where the search throws. */
  readonly leaveAt?: number;
  /** Where it stops improving. */
  readonly max?: number;
  /** Called after every `PAUSE_EVALUATIONS`. */
  readonly pause?: () => void;
}

export class SearchWork {
  readonly #leaveAt: number;
  readonly #max: number;
  readonly #pause: (() => void) | null;
  #pauseAt: number;
  #count = 0;

  constructor(options: SearchWorkOptions = {}) {
    this.#leaveAt = options.leaveAt ?? Number.POSITIVE_INFINITY;
    this.#max = options.max ?? EVALUATIONS_MAX;
    this.#pause = options.pause ?? null;
    this.#pauseAt = this.#pause === null ? Number.POSITIVE_INFINITY : PAUSE_EVALUATIONS;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether the search has reached its limit. */
  get isSpent(): boolean {
    return this.#count >= this.#max;
  }

  add(evaluations: number): void {
    this.#count += evaluations;
    if (this.#count > this.#leaveAt) throw new TooMuchWork(`after ${this.#count} evaluations`);
    if (this.#count < this.#pauseAt) return;
    this.#pauseAt = this.#count + PAUSE_EVALUATIONS;
    this.#pause?.();
  }
}
