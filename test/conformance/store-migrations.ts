// Conformance: the schema is created once, recorded, and rejected if it is not ours.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { POSTGRES_MARKET } from '../../src/store/postgres/postgres-migrations.ts';
import { SQLITE_MARKET } from '../../src/store/sqlite/sqlite-migrations.ts';
import { StoreSchemaError } from '../../src/store/store-error.ts';
import type { CreatePlace, StorePlace } from './store-place.ts';

const SELECT = 'SELECT id, name, checksum, applied_at_ms FROM mintwire_migrations ORDER BY id';

export function describeMigrations(createPlace: CreatePlace): void {
  describe('migrations', () => {
    let place: StorePlace;
    beforeEach(async () => {
      place = await createPlace();
    });
    afterEach(() => place.remove());

    const listKnown = () =>
      (place.address.engine === 'sqlite' ? SQLITE_MARKET : POSTGRES_MARKET).migrations;
    const openAndClose = async () => (await place.open()).close();

    it('are recorded with name, time and checksum, and run once', async () => {
      const earliestMs = Date.now();
      await openAndClose();
      const first = await place.run(SELECT);
      await openAndClose();
      assert.deepEqual(await place.run(SELECT), first);
      assert.deepEqual(
        first.map((row) => [Number(row['id']), row['name']]),
        listKnown().map((migration) => [migration.id, migration.name]),
      );
      for (const [index, row] of first.entries()) {
        const mark = listKnown()[index]?.isAdditive ? 'additive ' : '';
        assert.match(String(row['checksum']), new RegExp(`^${mark}[0-9a-f]{64}$`));
        assert.ok(Number(row['applied_at_ms']) >= earliestMs);
      }
    });

    it('run once when several processes start at the same moment', async () => {
      const stores = await Promise.all(Array.from({ length: 6 }, () => place.open()));
      for (const store of stores) await store.ping();
      await Promise.all(stores.map((store) => store.close()));
      assert.equal((await place.run(SELECT)).length, listKnown().length);
    });

    it('refuse a store of a newer version, and say so', async () => {
      await openAndClose();
      const newer = (listKnown().at(-1)?.id ?? 0) + 1;
      await place.run(
        `INSERT INTO mintwire_migrations (id, name, checksum, applied_at_ms)
         VALUES (${newer}, 'from the future', 'abc', 1)`,
      );
      await assert.rejects(place.open(), (error: unknown) => {
        assert.ok(error instanceof StoreSchemaError);
        assert.match(error.message, /newer version/);
        assert.match(error.message, new RegExp(`${newer} "from the future"`));
        assert.match(error.message, new RegExp(`up to ${newer - 1}\\.`));
        return true;
      });
    });

    it('refuse a store whose migration is not the one known here', async () => {
      await openAndClose();
      await place.run("UPDATE mintwire_migrations SET checksum = 'feedbeef' WHERE id = 1");
      await assert.rejects(place.open(), (error: unknown) => {
        assert.ok(error instanceof StoreSchemaError);
        assert.match(error.message, /found checksum feedbeef/);
        assert.match(error.message, /another store/);
        return true;
      });
    });

    it('refuse a store from before the first release, and say how to index anew', async () => {
      await openAndClose();
      await place.run("UPDATE mintwire_migrations SET name = 'markets' WHERE id = 1");
      for (const id of [17, 18]) {
        await place.run(
          `INSERT INTO mintwire_migrations (id, name, checksum, applied_at_ms)
           VALUES (${id}, 'step', 'abc', 1)`,
        );
      }
      await assert.rejects(place.open(), (error: unknown) => {
        assert.ok(error instanceof StoreSchemaError);
        assert.match(error.message, /before the first release/);
        assert.match(error.message, /(DROP SCHEMA|Delete the folder).* and start again/);
        return true;
      });
    });

    it('refuse a record with a gap', async () => {
      await openAndClose();
      await place.run('UPDATE mintwire_migrations SET id = 0 WHERE id = 1');
      await assert.rejects(place.open(), StoreSchemaError);
    });
  });
}
