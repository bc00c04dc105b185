// What the writer's thread and its owner tell each other.

import type { SqlProcedure, SqlRow } from '../sql.ts';
import { StoreError, type StoreFault } from '../store-error.ts';
import type { SqlStatement, Table } from '../table.ts';

export interface BulkCall {
  readonly method: 'insertRows' | 'upsertRows' | 'deleteRows';
  readonly on: Table;
  readonly values: readonly SqlRow[];
}

export type SessionCall =
  | BulkCall
  | { readonly method: 'query' | 'execute'; readonly on: SqlStatement; readonly values: SqlRow }
  | { readonly method: 'queryEach'; readonly on: SqlStatement; readonly values: readonly SqlRow[] }
  | {
      readonly method: 'runProcedure';
      readonly on: SqlProcedure['name'];
      readonly values: readonly SqlRow[];
    };

export type SqliteWriterCommand =
  | { readonly kind: 'begin' }
  /** Only a call with an id is answered; a failure is always told. */
  | { readonly kind: 'call'; readonly id: number | null; readonly call: SessionCall }
  | { readonly kind: 'end'; readonly commits: boolean }
  | { readonly kind: 'close' };

export type SqliteWriterReply =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number | null; readonly error: PlainError }
  | { readonly kind: 'ended'; readonly error: PlainError | null };

/** An error loses its own fields on the way to another thread; these are needed there. */
interface PlainError {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  readonly errcode: unknown;
  readonly fault: StoreFault | null;
}

export function toPlainError(error: unknown): PlainError {
  const { message, stack, code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  const fault = error instanceof StoreError ? error.fault : null;
  return { message: message ?? String(error), stack, code, errcode, fault };
}

export function parsePlainError(plain: PlainError): Error {
  const { message, stack, code, errcode, fault } = plain;
  const error = Object.assign(new Error(message), { stack, code, errcode });
  return fault === null ? error : new StoreError(fault, error);
}
