// Where a page of a list ends: the value and the id of its last row.

import type { ChainSlug } from '../../model/chain.ts';
import { buildInvalidCursorError, encodeCursor, parseCursor } from '../cursor.ts';
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

export function encodeListCursor(mark: string, at: ListPosition): string {
  const double = Buffer.alloc(8);
  double.writeDoubleBE(at.double);
  return encodeCursor(mark, `${double.toString('hex')} ${at.exact} ${at.chain} ${at.id}`);
}

const POSITION = /^([0-9a-f]{16}) (-?\d{1,200}) ([a-z]{2,20}) ([0-9A-Za-z]{1,80})$/;

export function parseListCursor(
  mark: string,
  cursor: string,
  chains: readonly ChainSlug[],
): ListPosition {
  const [, hex = '', exact = '0', slug, id = ''] = POSITION.exec(parseCursor(mark, cursor)) ?? [];
  const chain = chains.find((one) => one === slug);
  const double = hex === '' ? Number.NaN : Buffer.from(hex, 'hex').readDoubleBE();
  if (chain === undefined || Number.isNaN(double)) throw buildInvalidCursorError();
  return { double, exact: BigInt(exact), chain, id };
}
