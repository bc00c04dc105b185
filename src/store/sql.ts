// The few operations that an SQL engine offers to the code that both engines share.

import type { SqlStatement, Table } from './table.ts';

export type SqlValue = string | number | null;

/** Values in the order of the selected columns; of a whole row, in the order of its table. */
export type SqlRow = readonly SqlValue[];

export interface SqlSession {
  query(statement: SqlStatement, values: SqlRow): Promise<SqlRow[]>;
  /** One query for each set of values, answered together and in no certain order. */
  queryEach(statement: SqlStatement, sets: readonly SqlRow[]): Promise<SqlRow[]>;
  /** Runs a statement and returns how many rows it changed. */
  execute(statement: SqlStatement, values: SqlRow): Promise<number>;
  /** Fails when a key is already stored. */
  insertRows(table: Table, rows: readonly SqlRow[]): Promise<void>;
  /** Each key at most once per call. */
  upsertRows(table: Table, rows: readonly SqlRow[]): Promise<void>;
  deleteRows(table: Table, keys: readonly SqlRow[]): Promise<void>;
}

/** What an engine gives to the domains' stores. */
export interface SqlEngine {
  /** Reads, each seeing what is committed at that moment. */
  readonly session: SqlSession;
  /** Commits when the work resolves, rolls back when it rejects. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Reads that all see one committed state. */
  snapshot<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
}

/** Told how long each operation of the store took. */
export type OnTiming = (operation: string, ms: number) => void;
