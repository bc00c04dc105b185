// Where the subjects of rolling stats are in the columns of their chain, with a copy of their
// prices there: a list that reads the column itself, in the order of the rolling stats, waits for
// memory at nearly every token.

import type { DecimalColumn } from './packed-decimal.ts';

const KEPT_MAX = 10_000;

/** The last places of a column that changed, for whoever keeps a copy of some of it. */
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

interface PricedPlaces<Key> {
  readonly column: Pick<DecimalColumn, 'doubles'>;
  readonly changed: ChangedPlaces;
  keyAt(place: number): Key;
}

export interface PlacedColumns<Key> {
  /** The places are kept as long as this is the same object. */
  readonly owner: object;
  /** -1 if it is not there. */
  findPlace(key: Key): number;
  /** Null if no list needs them by subject. */
  readonly prices: PricedPlaces<Key> | null;
}

/** The subjects by their number, and their number by key. */
interface NumberedSubjects<Key> {
  /** The numbers are below this one. */
  readonly end: number;
  /** Null if the number is free. */
  keyOf(id: number): Key | null;
  find(key: Key): number | null;
}

export class SubjectPlaces<Key> {
  #owner: object | null = null;
  #places = new Uint32Array(0);
  #prices = new Float64Array(0);
  /** How many changes of prices were copied. */
  #copied = 0;
  /** Subjects whose places must be looked up. */
  #unplaced: number[] = [];

  /** By subject, its place plus one; 0 if it is not there. */
  get places(): Uint32Array {
    return this.#places;
  }

  /** By subject, the nearest double; NaN if it is unknown or the subject is not there. */
  get prices(): Float64Array {
    return this.#prices;
  }

  /** A new subject, perhaps by the number of one that is gone. */
  add(id: number, end: number): void {
    if (this.#owner === null) return;
    if (id < this.#places.length) this.#places[id] = 0;
    if (id < this.#prices.length) this.#prices[id] = Number.NaN;
    this.#unplaced.push(id);
    // Nobody asks: all are looked up when somebody does.
    if (this.#unplaced.length > end) this.#forget(null);
  }

  /** Looks up at most `lookupsMax` of those that are not known yet. */
  refresh(columns: PlacedColumns<Key>, subjects: NumberedSubjects<Key>, lookupsMax: number): void {
    if (this.#owner !== columns.owner) {
      this.#forget(columns.owner);
      this.#unplaced = Array.from({ length: subjects.end }, (_, id) => id);
      this.#copied = columns.prices?.changed.count ?? 0;
    }
    this.#reserve(subjects.end, columns.prices !== null);
    if (columns.prices !== null) this.#copyChanged(columns.prices, subjects);
    const absent: number[] = [];
    for (let count = 0; count < lookupsMax; count += 1) {
      const id = this.#unplaced.pop();
      if (id === undefined) break;
      const key = subjects.keyOf(id);
      const place = key === null ? -1 : columns.findPlace(key);
      this.#places[id] = place + 1;
      if (columns.prices !== null) this.#copy(columns.prices, id);
      // It may come later.
      if (key !== null && place < 0) absent.push(id);
    }
    for (const id of absent) this.#unplaced.push(id);
  }

  #forget(owner: object | null): void {
    this.#owner = owner;
    this.#places = new Uint32Array(0);
    this.#prices = new Float64Array(0);
    this.#unplaced = [];
  }

  #reserve(needed: number, isPriced: boolean): void {
    if (needed <= this.#places.length) return;
    const places = new Uint32Array(2 * needed);
    places.set(this.#places);
    this.#places = places;
    if (!isPriced) return;
    const prices = new Float64Array(2 * needed).fill(Number.NaN);
    prices.set(this.#prices);
    this.#prices = prices;
  }

  #copyChanged(prices: PricedPlaces<Key>, subjects: NumberedSubjects<Key>): void {
    const { changed } = prices;
    const places = changed.since(this.#copied);
    this.#copied = changed.count;
    if (places === null) {
      for (let id = 0; id < subjects.end; id += 1) this.#copy(prices, id);
      return;
    }
    for (const place of places) {
      const id = subjects.find(prices.keyAt(place));
      // One whose place is not known yet is copied when it is.
      if (id !== null) this.#copy(prices, id);
    }
  }

  #copy({ column }: PricedPlaces<Key>, id: number): void {
    const place = (this.#places[id] ?? 0) - 1;
    this.#prices[id] = place < 0 ? Number.NaN : (column.doubles[place] ?? Number.NaN);
  }
}
