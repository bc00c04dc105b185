// Where a page of a list ends: the value and the id of its last row.

import type { ChainSlug } from '../../model/chain.ts';
import type { PackedIds } from './packed-ids.ts';
import { compareValues, type SortValue } from './top-rows.ts';

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
