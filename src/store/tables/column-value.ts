// Conversions between the fields of records and the values of columns.
//
// A row comes from tables that only this code writes, so a value of another type than its column's
// means that the store is damaged and is thrown, never guessed at.

import { parseSortableInteger, toSortableInteger } from '../../lib/sortable-integer.ts';
import type { Address, PoolId, TransactionId, WalletId } from '../../model/ids.ts';
import type { SqlRow, SqlValue } from '../sql.ts';
import { StoreError } from '../store-error.ts';

export function toAmount(value: bigint | null): string | null {
  return value === null ? null : toSortableInteger(value);
}

/** PostgreSQL text cannot hold U+0000, nor UTF-8 a lone surrogate: free text loses both here. */
export function toFreeText(text: string | null): string | null {
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

/** Signed integers and sums without an upper bound, which are never sorted by. */
export function bigintAt(row: SqlRow, index: number): bigint {
  return parse(textAt(row, index), BigInt);
}

export function bigintOrNullAt(row: SqlRow, index: number): bigint | null {
  return row[index] === null ? null : bigintAt(row, index);
}

function parse(text: string, toBigint: (text: string) => bigint): bigint {
  try {
    return toBigint(text);
  } catch (error) {
    throw new StoreError('damaged', error);
  }
}

function unexpected(value: SqlValue | undefined, expected: string): StoreError {
  return toDamage(`The store holds ${JSON.stringify(value)} where ${expected} belongs`);
}

/** For a value that no code of ours has written. */
export function toDamage(message: string): StoreError {
  return new StoreError('damaged', new TypeError(message));
}
