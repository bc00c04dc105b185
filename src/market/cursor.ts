// Page cursors as opaque text, valid only for their query.

import { hash } from 'node:crypto';
import { AppError } from '../errors/app-error.ts';

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
export function parseNumbers(position: string, count: number): readonly number[] {
  const parts = position.split(' ');
  if (parts.length !== count || !parts.every((part) => /^\d{1,15}$/.test(part))) {
    throw buildInvalidCursorError();
  }
  return parts.map(Number);
}
