// Makes our indexer store a row for every transfer, which Mintwire itself does not: Ponder does,
// and both must do the same work. The rows are written in the same transactions as the rest.

import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { ChainAdapter } from '../src/chains/adapter.ts';
import { toSortableInteger } from '../src/lib/sortable-integer.ts';
import type { BlockEvents } from '../src/model/block-events.ts';
import type { SqlRow, SqlSession } from '../src/store/sql.ts';
import type { MarketTransaction, Store } from '../src/store/store.ts';
import { defineTable } from '../src/store/table.ts';
import type { StoreAddress } from './ingest-store.ts';

const TABLE = defineTable('bench_transfers', {
  key: { block: 'integer', position: 'integer' },
  data: { token: 'text', sender: 'text', receiver: 'text', amount_raw: 'text', time_ms: 'integer' },
});

const CREATE_TABLE = `CREATE TABLE bench_transfers (
  block BIGINT NOT NULL, position BIGINT NOT NULL, token TEXT NOT NULL, sender TEXT NOT NULL,
  receiver TEXT NOT NULL, amount_raw TEXT NOT NULL, time_ms BIGINT NOT NULL,
  PRIMARY KEY (block, position))`;

const COUNT_ROWS = 'SELECT COUNT(*) AS rows FROM bench_transfers';

async function runSql(address: StoreAddress, sql: string): Promise<Record<string, unknown>[]> {
  if (address.engine === 'sqlite') {
    const database = new DatabaseSync(address.target);
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  }
  const client = new Client({ connectionString: address.target });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

export function createTransferTable(address: StoreAddress): Promise<unknown> {
  return runSql(address, CREATE_TABLE);
}

export async function countTransferRows(address: StoreAddress): Promise<number> {
  const [row] = await runSql(address, COUNT_ROWS);
  return Number(row?.['rows']);
}

/** The other side of a mint or a burn. */
const NOBODY = '';

function* toRows(blocks: readonly BlockEvents[]): Generator<SqlRow> {
  for (const { header, events } of blocks) {
    for (const [position, event] of events.entries()) {
      if (event.kind !== 'transfer') continue;
      const { token, from, to, amountRaw } = event;
      const amount = toSortableInteger(amountRaw);
      const [sender, receiver] = [from ?? NOBODY, to ?? NOBODY];
      yield [header.position, position, token, sender, receiver, amount, header.timestampMs];
    }
  }
}

/** Collects what the adapter reads, and adds it to the transaction that commits those blocks. */
export function keepTransferRows(adapter: ChainAdapter, { market }: Store): void {
  let waiting: BlockEvents[] = [];
  const readBlocks = adapter.readBlocks.bind(adapter);
  adapter.readBlocks = async (range, signal) => {
    const reading = await readBlocks(range, signal);
    waiting.push(...reading.blocks);
    return reading;
  };
  const runTransaction = market.transaction.bind(market);
  market.transaction = (chain, work) =>
    runTransaction(chain, async (transaction: MarketTransaction) => {
      const result = await work(transaction);
      const block = (await transaction.readCheckpoint(chain))?.block ?? -1;
      const committed = waiting.filter(({ header }) => header.position <= block);
      waiting = waiting.filter(({ header }) => header.position > block);
      const { session } = transaction as unknown as { readonly session: SqlSession };
      await session.insertRows(TABLE, [...toRows(committed)]);
      return result;
    });
}
