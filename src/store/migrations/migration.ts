// What a migration is, and which of them a store still needs.

import { createHash } from 'node:crypto';
import { StoreSchemaError } from '../store-error.ts';
import type { SqlStatement } from '../table.ts';

export interface Migration {
  /** Ascending from 1. */
  readonly id: number;
  readonly name: string;
  /** Statements, each ended by a semicolon. Never edited once released, comments aside. */
  readonly sql: string;
  /**
   * Whether the version before it, which does not know it, may go on using the store: it only adds
   * tables, indexes, or columns with defaults. The record says so, in the checksum.
   */
  readonly isAdditive?: true;
}

const ADDITIVE = 'additive ';

interface AppliedMigration {
  readonly id: number;
  readonly name: string;
  readonly checksum: string;
}

/** A sequence of migrations, and the table that records which of them were run. */
export interface MigrationHistory {
  readonly table: string;
  readonly migrations: readonly Migration[];
  /** How an operator empties a store that is to be indexed anew, as an instruction. */
  readonly startingOver: string;
}

interface HistoryStatements {
  readonly create: SqlStatement;
  readonly select: SqlStatement;
  readonly insert: SqlStatement;
}

/** Written so that both dialects accept them. */
export function buildHistoryStatements(table: string): HistoryStatements {
  return {
    create: buildCommand(`
      CREATE TABLE IF NOT EXISTS ${table} (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        checksum TEXT NOT NULL,
        applied_at_ms BIGINT NOT NULL
      )`),
    select: {
      sql: `SELECT id, name, checksum FROM ${table} ORDER BY id`,
      takes: [],
      gives: ['integer', 'text', 'text'],
    },
    insert: {
      sql: `INSERT INTO ${table} (id, name, checksum, applied_at_ms) VALUES ($1, $2, $3, $4)`,
      takes: ['integer', 'text', 'text', 'integer'],
      gives: [],
    },
  };
}

/** A statement without parameters and results. */
export function buildCommand(sql: string): SqlStatement {
  return { sql, takes: [], gives: [] };
}

export function listStatements({ sql }: Migration): readonly string[] {
  const statements = sql.replace(/^ *--.*$/gm, '').split(';');
  // Whitespace and comments are not part of a schema: they must not change its checksum.
  return statements.map((one) => one.replace(/\s+/g, ' ').trim()).filter((one) => one !== '');
}

export function computeChecksum(migration: Migration): string {
  const text = listStatements(migration).join(';\n');
  const hash = createHash('sha256').update(text).digest('hex');
  return migration.isAdditive === true ? ADDITIVE + hash : hash;
}

/** The migrations to run on a store with these applied; rejects a store with another history. */
export function planMigrations(
  { migrations: known, startingOver }: MigrationHistory,
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const [oldest] = applied;
  if (oldest?.id === known[0]?.id && oldest?.name !== known[0]?.name) {
    throw new StoreSchemaError(
      'The store is from before the first release, and is not read any more. ' +
        `${startingOver} and start again: the chains are indexed anew.`,
    );
  }
  const newest = known.at(-1)?.id ?? 0;
  const newer = applied.filter(({ id }) => id > newest);
  if (!newer.every(({ checksum }) => checksum.startsWith(ADDITIVE))) {
    throw new StoreSchemaError(
      `The store was written by a newer version of Mintwire: it has ${newer.map(formatLabel).join(', ')}, ` +
        `and this version knows migrations up to ${newest}. ` +
        'Start the newer version again, or give this one another store.',
    );
  }
  const ours = applied.slice(0, applied.length - newer.length);
  ours.forEach((migration, index) => {
    const expected = known[index];
    if (expected === undefined || expected.id !== migration.id) {
      throw new StoreSchemaError(
        `The store's record of migrations has a gap: found ${formatLabel(migration)} ` +
          `where this version expects ${expected === undefined ? 'nothing' : formatLabel(expected)}. ` +
          'Restore the store from a backup, or give this version another store.',
      );
    }
    if (migration.checksum !== computeChecksum(expected)) {
      throw new StoreSchemaError(
        `The store's migration ${formatLabel(migration)} is not the one that this version knows: ` +
          `found checksum ${migration.checksum.slice(0, 12)}, ` +
          `expected ${computeChecksum(expected).slice(0, 12)} (${formatLabel(expected)}). ` +
          'Start the version that wrote the store, or give this one another store.',
      );
    }
  });
  return known.slice(ours.length);
}

function formatLabel(migration: { readonly id: number; readonly name: string }): string {
  return `${migration.id} "${migration.name}"`;
}
