// `mintwire migrate`: brings the store to this version, without serving.

import { type Config, loadProcessConfig } from '../config.ts';
import { openStore } from '../engines/open-store.ts';
import type { DividedTable } from '../store/row-partitions.ts';
import type { Store } from '../store/store.ts';
import { readCommand } from './read-command.ts';
import { reportMigrating, reportProblem } from './with-store.ts';

const FORM = {
  name: 'npx mintwire migrate',
  help: `usage: npx mintwire migrate [--divide]

Brings the store to this version, as the first start of a service does otherwise, however long it
takes. With MIGRATE=off services leave that to this command.

  --divide   also divides the trades (RETAIN_TRADES_DAYS) and candles (RETAIN_FINE_CANDLES_DAYS) of
             an existing PostgreSQL store by time, so that old ones are dropped instead of deleted.
             Services wait while it scans them, some minutes for 100 GB
`,
  flags: { divide: { type: 'boolean' } },
} as const;

const DIVISIONS = {
  done: 'divided by time',
  before: 'were divided before',
  later: 'in use by a long read; stop it, or try again later',
} as const;

function listTables({ indexing }: Config): readonly DividedTable[] {
  const { retainTradesDays, retainFineCandlesDays } = indexing;
  return [
    ...(retainTradesDays === null ? [] : ['trades' as const]),
    ...(retainFineCandlesDays === null ? [] : ['candles' as const]),
  ];
}

async function divide(store: Store, tables: readonly DividedTable[]): Promise<void> {
  const { partitions } = store.market;
  if (partitions === undefined || tables.length === 0) {
    console.error(
      partitions === undefined
        ? 'mintwire: only a PostgreSQL store can be divided'
        : 'mintwire: neither RETAIN_TRADES_DAYS nor RETAIN_FINE_CANDLES_DAYS is set',
    );
    process.exitCode = 1;
    return;
  }
  for (const table of tables) {
    const division = await partitions.divide(table);
    console.log(`${table}: ${DIVISIONS[division]}`);
    if (division === 'later') process.exitCode = 1;
  }
}

export async function migrate(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  let count = 0;
  try {
    const config = loadProcessConfig();
    const store = await openStore(config.store, {
      onMigrating: reportMigrating,
      onMigrated: (name) => {
        count += 1;
        console.log(`migrated: ${name}`);
      },
    });
    try {
      if (command.values.divide === true) await divide(store, listTables(config));
    } finally {
      await store.close();
    }
  } catch (error) {
    reportProblem(error);
    return;
  }
  console.log(count === 0 ? 'The store is up to date.' : `${count} migrations were run.`);
}
