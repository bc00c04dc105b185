// Stored undo images: one JSON document per block and commit.
//
// For each table a document holds rows as they were before the block: a whole row is restored, a
// bare key is deleted. One document is one insert, however many rows the block changed, and its
// values are column values, so that restoring needs no conversion.

import type { ChainSlug } from '../../model/chain.ts';
import type { SqlRow, SqlValue } from '../sql.ts';
import type { UndoImages } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { defineTable, type Table } from '../table.ts';
import { BALANCE_TABLE, toBalanceRow } from '../tables/balance-table.ts';
import { POOL_TABLE, toPoolRow } from '../tables/pool-table.ts';
import { POSITION_TABLE, toPositionRow } from '../tables/position-table.ts';
import { TICK_TABLE, toTickRow } from '../tables/tick-table.ts';
import { TOKEN_TABLE, toTokenRow } from '../tables/token-table.ts';

export const UNDO_TABLE = defineTable('undo_images', {
  key: { chain: 'text', block: 'integer', part: 'integer' },
  data: { images: 'text' },
});

const TABLES: readonly Table[] = [
  TOKEN_TABLE,
  POOL_TABLE,
  TICK_TABLE,
  BALANCE_TABLE,
  POSITION_TABLE,
];

export function encodeUndo(chain: ChainSlug, images: UndoImages): string {
  const rows: Record<string, SqlRow[]> = {
    [TOKEN_TABLE.name]: Array.from(images.tokens, ([token, before]) =>
      before === null ? [chain, token] : toTokenRow(chain, before),
    ),
    [POOL_TABLE.name]: Array.from(images.pools, ([pool, before]) =>
      before === null ? [chain, pool] : toPoolRow(chain, before),
    ),
    [TICK_TABLE.name]: images.ticks.map(({ pool, tick, before }) =>
      before === null ? [chain, pool, tick] : toTickRow(chain, before),
    ),
    [BALANCE_TABLE.name]: images.balances.map(({ token, owner, before }) =>
      before === null ? [chain, token, owner] : toBalanceRow(chain, before),
    ),
    [POSITION_TABLE.name]: images.positions.map(({ token, wallet, before }) =>
      before === null ? [chain, wallet, token] : toPositionRow(chain, before),
    ),
  };
  return JSON.stringify(rows);
}

interface Restoration {
  readonly table: Table;
  readonly restored: readonly SqlRow[];
  readonly deleted: readonly SqlRow[];
}

/** Collects documents, oldest first: of several images of one row the oldest is used. */
export class UndoCollector {
  readonly #rows = new Map<Table, Map<string, SqlRow>>(TABLES.map((table) => [table, new Map()]));

  add(document: string): void {
    const images = parseDocument(document);
    for (const [table, rows] of this.#rows) {
      for (const row of images[table.name] ?? []) {
        const key = row.slice(0, table.keyLength).join(' ');
        if (!rows.has(key)) rows.set(key, row);
      }
    }
  }

  planRestorations(): Restoration[] {
    return Array.from(this.#rows, ([table, rows]) => {
      const all = [...rows.values()];
      return {
        table,
        restored: all.filter((row) => row.length > table.keyLength).map((row) => pad(row, table)),
        deleted: all.filter((row) => row.length === table.keyLength),
      };
    });
  }
}

function parseDocument(document: string): Record<string, SqlRow[]> {
  try {
    return JSON.parse(document) as Record<string, SqlRow[]>;
  } catch (error) {
    throw new StoreError('damaged', error);
  }
}

/** A migration may have appended columns since the image was taken; those are null. */
function pad(row: SqlRow, table: Table): SqlRow {
  if (row.length === table.columns.length) return row;
  return table.columns.map((_, index): SqlValue => row[index] ?? null);
}
