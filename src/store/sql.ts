// The operations that an SQL engine offers to the code shared by both engines.

import type { SqlStatement, Table } from './table.ts';

export type SqlValue = string | number | null;

/** Values in the order of the selected columns; of a whole row, in the order of its table. */
export type SqlRow = readonly SqlValue[];

export interface SqlSession {
  query(statement: SqlStatement, values: SqlRow): Promise<SqlRow[]>;
  /** One query for each set of values; all results together, in any order. */
  queryEach(statement: SqlStatement, sets: readonly SqlRow[]): Promise<SqlRow[]>;
  /** Runs a statement and returns the number of changed rows. */
  execute(statement: SqlStatement, values: SqlRow): Promise<number>;
  /** In a transaction these may return before they have run: its end fails if one of them does. */
  executeLater(statement: SqlStatement, values: SqlRow): Promise<void>;
  /** Fails if a key is already stored. */
  insertRows(table: Table, rows: readonly SqlRow[]): Promise<void>;
  /** Each key at most once per call. */
  upsertRows(table: Table, rows: readonly SqlRow[]): Promise<void>;
  deleteRows(table: Table, keys: readonly SqlRow[]): Promise<void>;
  /** In a transaction it may return before it has run, as `executeLater` may. */
  runProcedure(procedure: SqlProcedure, rows: readonly SqlRow[]): Promise<void>;
}

/** Work on rows that runs on the thread of the connection. */
export interface SqlProcedure {
  readonly name: 'addTrades';
  run(session: SqlSession, rows: readonly SqlRow[]): Promise<void>;
}

/** What an engine offers to the stores of the domains. */
export interface SqlEngine {
  /** Reads, each of the latest committed state. */
  readonly session: SqlSession;
  /** Commits when the work resolves, rolls back when it rejects. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Reads that all see one committed state. */
  snapshot<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
}

/** Called with the duration of each store operation. */
export type OnTiming = (operation: string, ms: number) => void;
