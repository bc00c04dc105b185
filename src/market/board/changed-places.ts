// The last places of a column that changed, for whoever keeps a copy of some of it.

const KEPT_MAX = 10_000;

export class ChangedPlaces {
  #places: number[] = [];
  /** How many were forgotten. */
  #forgotten = 0;

  /** How many there were so far. */
  get count(): number {
    return this.#forgotten + this.#places.length;
  }

  note(place: number): void {
    if (this.#places.length >= KEPT_MAX) {
      this.#forgotten = this.count;
      this.#places = [];
    }
    this.#places.push(place);
  }

  /** Those after the first `count`; null if some of them are forgotten. */
  since(count: number): readonly number[] | null {
    return count < this.#forgotten ? null : this.#places.slice(count - this.#forgotten);
  }
}
