// The best rows of a list: the highest value first, then by id.

import type { ChainSlug } from '../../model/chain.ts';
import type { PackedIds } from './packed-ids.ts';

/** A value to sort by: a double, and what decides between equal doubles. */
interface SortValue {
  readonly double: number;
  readonly exact: bigint;
}

export interface RankedRow extends SortValue {
  /** In the columns. */
  readonly position: number;
}

type ComparePositions = (a: number, b: number) => number;

/** As for `sort`: above zero if `b` is the higher value. */
function compareValues(a: SortValue, b: SortValue): number {
  if (a.double !== b.double) return b.double - a.double;
  return a.exact === b.exact ? 0 : a.exact < b.exact ? 1 : -1;
}

export class TopRows {
  /** The best first. */
  readonly rows: RankedRow[] = [];
  readonly #limit: number;
  readonly #comparePositions: ComparePositions;

  constructor(limit: number, comparePositions: ComparePositions) {
    this.#limit = limit;
    this.#comparePositions = comparePositions;
  }

  /** No row with a lower value can enter. */
  get floor(): number {
    return this.#worst?.double ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether a row of this double might enter; cheap, since most rows are asked about. */
  mayEnter(double: number, position: number): boolean {
    const worst = this.#worst;
    if (worst === null || double > worst.double) return true;
    if (double < worst.double || Number.isNaN(double)) return false;
    // Counts and zero have no more than their double; other values may differ beyond it.
    const isExact = double === 0 || worst.exact === 0n;
    return !isExact || this.#comparePositions(position, worst.position) < 0;
  }

  offer(row: RankedRow): void {
    const worst = this.#worst;
    if (worst !== null && this.#compare(row, worst) >= 0) return;
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.rows[middle];
      if (other !== undefined && this.#compare(row, other) < 0) high = middle;
      else low = middle + 1;
    }
    this.rows.splice(low, 0, row);
    if (this.rows.length > this.#limit) this.rows.pop();
  }

  /** Null until there are as many rows as are wanted. */
  get #worst(): RankedRow | null {
    return this.rows[this.#limit - 1] ?? null;
  }

  #compare(a: RankedRow, b: RankedRow): number {
    return compareValues(a, b) || this.#comparePositions(a.position, b.position);
  }
}

/** Where a page of a list ends: the value and the id of its last row. */
export interface ListPosition extends SortValue {
  readonly chain: ChainSlug;
  readonly id: string;
}

/** As for `sort`: the highest value first, then by chain, then by id. */
export function compareListed(a: ListPosition, b: ListPosition): number {
  return (
    compareValues(a, b) ||
    (a.chain === b.chain ? compareText(a.id, b.id) : compareText(a.chain, b.chain))
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Tells which rows of a chain come after a position. */
export function createAfter(
  after: ListPosition | null,
  chain: ChainSlug,
  ids: PackedIds<string>,
): (value: SortValue, position: number) => boolean {
  if (after === null) return () => true;
  const known = ids.find(after.id);
  return (value, position) => {
    const order = compareValues(after, value);
    if (order !== 0) return order < 0;
    if (after.chain !== chain) return after.chain < chain;
    if (known !== null) return ids.compare(position, known) > 0;
    return ids.at(position) > after.id;
  };
}
