// The cursor of a page of keys, as opaque text.

import { AppError } from '../errors/app-error.ts';
import type { KeyPosition } from '../store/access-store.ts';

/** The owner's mark makes a cursor invalid for another wallet. */
export function encodeKeysCursor(position: KeyPosition, ownerMark: string): string {
  const fields = [position.createdAtMs, position.id, ownerMark];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function parseKeysCursor(cursor: string, ownerMark: string): KeyPosition {
  const fields = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (Array.isArray(fields) && fields.length === 3) {
    const [createdAtMs, id, mark] = fields as unknown[];
    if (Number.isSafeInteger(createdAtMs) && typeof id === 'string' && mark === ownerMark) {
      return { createdAtMs: createdAtMs as number, id };
    }
  }
  throw new AppError('INVALID_CURSOR', {});
}
