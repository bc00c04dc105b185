// The end of a page of a list, in its cursor.

import type { ChainSlug } from '../model/chain.ts';
import { buildInvalidCursorError, encodeCursor, parseCursor } from './cursor.ts';
import type { ListPosition } from './rolling-stats/top-rows.ts';

export function encodeListCursor(mark: string, at: ListPosition): string {
  const double = Buffer.alloc(8);
  double.writeDoubleBE(at.double);
  return encodeCursor(mark, `${double.toString('hex')} ${at.exact} ${at.chain} ${at.id}`);
}

const POSITION = /^([0-9a-f]{16}) (-?\d{1,200}) ([a-z][a-z0-9-]{1,31}) ([0-9A-Za-z]{1,80})$/;

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
