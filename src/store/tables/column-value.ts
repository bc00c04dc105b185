// Conversions between fields of records and values of columns.
//
// Only this code writes the tables, so a value of the wrong type means that the store is damaged:
// it throws.

import { parseSortableInteger, toSortableInteger } from '../../lib/sortable-integer.ts';
import type { Address, PoolId, TransactionId, WalletId } from '../../model/ids.ts';
import type { SqlRow, SqlValue } from '../sql.ts';
import { StoreError } from '../store-error.ts';

export function toAmount(value: bigint | null): string | null {
  return value === null ? null : toSortableInteger(value);
}

/**
 * PostgreSQL text cannot hold U+0000, and UTF-8 cannot hold a lone surrogate: both are removed from
 * free text.
 */
export function cleanFreeText(text: string | null): string | null {
  if (text === null) return null;
  return text.replaceAll('\u0000', '').toWellFormed();
}

export function textAt(row: SqlRow, index: number): string {
  const value = row[index];
  if (typeof value !== 'string') throw unexpected(value, 'text');
  return value;
}

export function textOrNullAt(row: SqlRow, index: number): string | null {
  return row[index] === null ? null : textAt(row, index);
}

/** The ids in a row were parsed before they were written, so they are taken as they are. */
export function addressAt(row: SqlRow, index: number): Address {
  return textAt(row, index) as Address;
}

export function addressOrNullAt(row: SqlRow, index: number): Address | null {
  return row[index] === null ? null : addressAt(row, index);
}

export function poolAt(row: SqlRow, index: number): PoolId {
  return textAt(row, index) as PoolId;
}

export function poolOrNullAt(row: SqlRow, index: number): PoolId | null {
  return row[index] === null ? null : poolAt(row, index);
}

export function transactionAt(row: SqlRow, index: number): TransactionId {
  return textAt(row, index) as TransactionId;
}

export function walletAt(row: SqlRow, index: number): WalletId {
  return textAt(row, index) as WalletId;
}

export function numberAt(row: SqlRow, index: number): number {
  const value = row[index];
  if (typeof value !== 'number') throw unexpected(value, 'a number');
  return value;
}

export function numberOrNullAt(row: SqlRow, index: number): number | null {
  return row[index] === null ? null : numberAt(row, index);
}

export function amountAt(row: SqlRow, index: number): bigint {
  return parse(textAt(row, index), parseSortableInteger);
}

export function amountOrNullAt(row: SqlRow, index: number): bigint | null {
  return row[index] === null ? null : amountAt(row, index);
}

/** Signed integers and unbounded sums, which are never sorted by. */
export function bigintAt(row: SqlRow, index: number): bigint {
  return parse(textAt(row, index), BigInt);
}

export function bigintOrNullAt(row: SqlRow, index: number): bigint | null {
  return row[index] === null ? null : bigintAt(row, index);
}

function parse(text: string, decodeBigint: (text: string) => bigint): bigint {
  try {
    return decodeBigint(text);
  } catch (error) {
    throw new StoreError('damaged', error);
  }
}

function unexpected(value: SqlValue | undefined, expected: string): StoreError {
  return buildDamageError(`The store holds ${JSON.stringify(value)} where ${expected} belongs`);
}

/** For a value that our code has not written. */
export function buildDamageError(message: string): StoreError {
  return new StoreError('damaged', new TypeError(message));
}
