// Runs the access store's suite on both engines.

import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'node:test';
import { describeKeys } from './access-keys.ts';
import { describeSignIn } from './access-sign-in.ts';
import {
  type CreatePlace,
  createPostgresPlace,
  createSqlitePlace,
  type StorePlace,
} from './store-place.ts';

function describeAccessStore(name: string, createPlace: CreatePlace): void {
  describe(name, () => {
    describeSignIn(createPlace);
    describeKeys(createPlace);
  });
}

/** The embedded store has access in a separate file, beside the market's. */
async function createSqliteAccessPlace(): Promise<StorePlace> {
  const place = await createSqlitePlace();
  const file = join(dirname(place.address.target), 'access.sqlite');
  return {
    ...place,
    run: async (sql) => {
      const database = new DatabaseSync(file, { timeout: 5000 });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    },
  };
}

describeAccessStore('access store on SQLite', createSqliteAccessPlace);
describeAccessStore('access store on PostgreSQL', createPostgresPlace);
