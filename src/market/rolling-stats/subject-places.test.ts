// Copies of prices by subject equal the column, whatever changed between two refreshes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { DecimalColumn, packDecimal } from './packed-decimal.ts';
import { ChangedPlaces, type PlacedColumns, SubjectPlaces } from './subject-places.ts';

const KEYS = 6;

/** Columns with a place for each key that came, in the order in which they came. */
class Columns implements PlacedColumns<number> {
  readonly owner = this;
  readonly #keys: number[] = [];
  readonly #column = new DecimalColumn();
  readonly #changed = new ChangedPlaces();
  readonly prices = {
    column: this.#column,
    changed: this.#changed,
    keyAt: (place: number) => this.#keys[place] ?? -1,
  };

  findPlace(key: number): number {
    return this.#keys.indexOf(key);
  }

  put(key: number, price: number): void {
    if (!this.#keys.includes(key)) this.#keys.push(key);
    const place = this.findPlace(key);
    this.#column.set(place, packDecimal(String(price)));
    this.#changed.note(place);
  }

  priceOf(key: number | null): number {
    const place = key === null ? -1 : this.findPlace(key);
    return place < 0 ? Number.NaN : (this.#column.doubles[place] ?? Number.NaN);
  }
}

/** Numbers of keys, used again after their keys are gone. */
class Subjects {
  readonly #keys: (number | null)[] = [];

  get end(): number {
    return this.#keys.length;
  }

  keyOf(id: number): number | null {
    return this.#keys[id] ?? null;
  }

  find(key: number): number | null {
    const id = this.#keys.indexOf(key);
    return id < 0 ? null : id;
  }

  /** The number of a new key; null if it is known. */
  add(key: number): number | null {
    if (this.find(key) !== null) return null;
    const free = this.#keys.indexOf(null);
    const id = free < 0 ? this.#keys.length : free;
    this.#keys[id] = key;
    return id;
  }

  remove(key: number): void {
    const id = this.find(key);
    if (id !== null) this.#keys[id] = null;
  }
}

const key = fc.nat({ max: KEYS - 1 });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('price' as const), key, price: fc.integer({ min: 1, max: 99 }) }),
    fc.record({ kind: fc.constant('join' as const), key }),
    fc.record({ kind: fc.constant('leave' as const), key }),
    fc.record({ kind: fc.constant('manyPrices' as const), key }),
    fc.record({ kind: fc.constant('reload' as const) }),
    fc.record({ kind: fc.constant('refresh' as const), lookupsMax: fc.nat({ max: 3 }) }),
  ),
  { maxLength: 60, size: 'max' },
);

test('a copy by subject equals the column after any changes', () => {
  fc.assert(
    fc.property(steps, (made) => {
      let columns = new Columns();
      const subjects = new Subjects();
      const places = new SubjectPlaces<number>();
      const check = () => {
        places.refresh(columns, subjects, Number.POSITIVE_INFINITY);
        for (let id = 0; id < subjects.end; id += 1) {
          const owner = subjects.keyOf(id);
          if (owner === null) continue;
          assert.equal((places.places[id] ?? 0) - 1, columns.findPlace(owner));
          assert.equal(places.prices[id], columns.priceOf(owner));
        }
      };
      for (const step of made) {
        if (step.kind === 'price') columns.put(step.key, step.price);
        else if (step.kind === 'manyPrices') {
          // More than are remembered.
          for (let price = 1; price <= 10_001; price += 1) columns.put(step.key, price);
        } else if (step.kind === 'leave') subjects.remove(step.key);
        else if (step.kind === 'reload') columns = new Columns();
        else if (step.kind === 'refresh') places.refresh(columns, subjects, step.lookupsMax);
        else {
          const id = subjects.add(step.key);
          if (id !== null) places.add(id, subjects.end);
        }
        if (step.kind === 'refresh') check();
      }
      check();
    }),
    { numRuns: 100 },
  );
});
