// How much a search for a route has done, in evaluations: one is one reading of a pool's curve.
//
// Counted and not timed, so that the same question always takes the same work: wherever it is
// searched, however busy the machine is. A search that has done all that one may do stops improving
// and answers with the best that it has.

/** An exact swap takes about as long as so many readings of a curve. */
export const SWAP_EVALUATIONS = 24;
/** And so does all else that is done for one pool when pools are divided, weighed or told. */
export const POOL_EVALUATIONS = 16;

/** What one search may do. The largest trades over 200 pools were seen to take a third of it. */
const EVALUATIONS_MAX = 6_000_000;

/** Thrown out of a search that would do more than its place allows: it has to go elsewhere. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

export class SearchWork {
  readonly #leaveAt: number;
  readonly #max: number;
  #count = 0;

  /** `leaveAt` is where the search is given up by a throw, `max` where it stops improving. */
  constructor(options: { readonly leaveAt?: number; readonly max?: number } = {}) {
    this.#leaveAt = options.leaveAt ?? Number.POSITIVE_INFINITY;
    this.#max = options.max ?? EVALUATIONS_MAX;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether all has been done that one search may do. */
  get isSpent(): boolean {
    return this.#count >= this.#max;
  }

  add(evaluations: number): void {
    this.#count += evaluations;
    if (this.#count > this.#leaveAt) throw new TooMuchWork(`after ${this.#count} evaluations`);
  }
}
