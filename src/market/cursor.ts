// Page cursors as opaque text, valid only for their query.

import { hash } from 'node:crypto';
import { AppError } from '../errors/app-error.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { TradePosition } from '../store/market-reads.ts';

const MARK_LENGTH = 12;

/** A hash of the query; `limit` is not part of it and may change between pages. */
export function computeQueryMark(parts: readonly (string | number | null)[]): string {
  return hash('sha1', JSON.stringify(parts), 'base64url').slice(0, MARK_LENGTH);
}

export function encodeCursor(mark: string, position: string): string {
  return Buffer.from(`${mark}${position}`, 'latin1').toString('base64url');
}

/** The position in a cursor of this query. */
export function parseCursor(mark: string, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!text.startsWith(mark)) throw buildInvalidCursorError();
  return text.slice(MARK_LENGTH);
}

export function buildInvalidCursorError(): AppError {
  return new AppError(
    'INVALID_CURSOR',
    {},
    { errors: [{ path: 'cursor', message: 'does not belong to this query' }] },
  );
}

/** The integers in a position. */
function parseNumbers(position: string, count: number): readonly number[] {
  const parts = position.split(' ');
  if (parts.length !== count || !parts.every((part) => /^\d{1,15}$/.test(part))) {
    throw buildInvalidCursorError();
  }
  return parts.map(Number);
}

// The tokens that a search has already shown, stored in its cursor.
//
// The order of matches moves with the market, so a page is the best of what was not shown before:
// nothing that still matches is skipped or repeated, on any node.

/** Bytes per token: a collision between two tokens of one search has odds of one in a million. */
const MARK_BYTES = 5;

/** How many matches can be paged through. */
export const FOUND_MAX = 1000;

/** A token's mark as five characters, one per byte. */
export function hashSeen(chain: ChainSlug, token: Address): string {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (const character of `${chain} ${token}`) {
    const code = character.charCodeAt(0);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
  }
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(low >>> 0, 0);
  bytes.writeUInt32BE(high >>> 0, 4);
  return bytes.toString('latin1', 0, MARK_BYTES);
}

export function encodeSearchCursor(mark: string, seen: ReadonlySet<string>): string {
  return encodeCursor(mark, [...seen].join(''));
}

export function parseSearchCursor(mark: string, cursor: string): Set<string> {
  const position = parseCursor(mark, cursor);
  const count = position.length / MARK_BYTES;
  if (!Number.isInteger(count) || count > FOUND_MAX || count === 0) throw buildInvalidCursorError();
  return new Set(
    Array.from({ length: count }, (_, index) =>
      position.slice(index * MARK_BYTES, (index + 1) * MARK_BYTES),
    ),
  );
}

// The end of a page of trades, in its cursor.

export function encodeTradeCursor(
  addresses: AddressCodec,
  mark: string,
  at: TradePosition,
): string {
  const token = addresses.toShown(at.token);
  return encodeCursor(mark, `${at.timestampMs} ${at.block} ${at.logIndex} ${token}`);
}

export function parseTradeCursor(
  addresses: AddressCodec,
  mark: string,
  cursor: string,
): TradePosition {
  const position = parseCursor(mark, cursor);
  const end = position.lastIndexOf(' ');
  const token = addresses.parse(position.slice(end + 1));
  if (token === null) throw buildInvalidCursorError();
  const [timestampMs = 0, block = 0, logIndex = 0] = parseNumbers(position.slice(0, end), 3);
  return { timestampMs, block, logIndex, token };
}
