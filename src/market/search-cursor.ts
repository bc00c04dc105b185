// The tokens that a search has already shown, stored in its cursor.
//
// The order of matches moves with the market, so a page is the best of what was not shown before:
// nothing that still matches is skipped or repeated, on any node.

import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import { buildInvalidCursorError, encodeCursor, parseCursor } from './cursor.ts';

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
