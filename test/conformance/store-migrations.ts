// Conformance: the schema is created once, recorded, and rejected if it is not ours.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { PoolRecord } from '../../src/model/pool.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import { StoreSchemaError } from '../../src/store/store-schema-error.ts';
import { buildTableBeforeKinds, POOLS_BEFORE_KINDS } from './pools-before-kinds.ts';
import type { CreatePlace, StorePlace } from './store-place.ts';

const SELECT = 'SELECT id, name, checksum, applied_at_ms FROM mintwire_migrations ORDER BY id';

export function describeMigrations(createPlace: CreatePlace): void {
  describe('migrations', () => {
    let place: StorePlace;
    beforeEach(async () => {
      place = await createPlace();
    });
    afterEach(() => place.remove());

    const openAndClose = async () => (await place.open()).close();

    it('are recorded with name, time and checksum, and run once', async () => {
      const earliestMs = Date.now();
      await openAndClose();
      const first = await place.run(SELECT);
      await openAndClose();
      assert.deepEqual(await place.run(SELECT), first);
      assert.deepEqual(
        first.map((row) => [Number(row['id']), row['name']]),
        MIGRATIONS.map((migration) => [migration.id, migration.name]),
      );
      for (const row of first) {
        assert.match(String(row['checksum']), /^[0-9a-f]{64}$/);
        assert.ok(Number(row['applied_at_ms']) >= earliestMs);
      }
    });

    it('run once when several processes start at the same moment', async () => {
      const stores = await Promise.all(Array.from({ length: 6 }, () => place.open()));
      for (const store of stores) await store.ping();
      await Promise.all(stores.map((store) => store.close()));
      assert.equal((await place.run(SELECT)).length, MIGRATIONS.length);
    });

    it('refuse a store of a newer version, and say so', async () => {
      await openAndClose();
      const newer = MIGRATIONS.length + 1;
      await place.run(
        `INSERT INTO mintwire_migrations (id, name, checksum, applied_at_ms)
         VALUES (${newer}, 'from the future', 'abc', 1)`,
      );
      await assert.rejects(place.open(), (error: unknown) => {
        assert.ok(error instanceof StoreSchemaError);
        assert.match(error.message, /newer version/);
        assert.match(error.message, new RegExp(`${newer} "from the future"`));
        assert.match(error.message, new RegExp(`up to ${MIGRATIONS.length}\\.`));
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

    itUpgradesPools(() => place);

    it('refuse a record with a gap', async () => {
      await openAndClose();
      await place.run('UPDATE mintwire_migrations SET id = 0 WHERE id = 1');
      await assert.rejects(place.open(), StoreSchemaError);
    });
  });
}

function itUpgradesPools(getPlace: () => StorePlace): void {
  it('convert pools from before pool kinds', async () => {
    const place = getPlace();
    await (await place.open()).close();
    const { engine } = place.address;
    for (const statement of buildTableBeforeKinds(engine)) await place.run(statement);
    const { pair, range, singleton } = POOLS_BEFORE_KINDS;
    for (const { sql } of [pair, range, singleton]) await place.run(sql);
    // The results of later migrations are removed too, because they run again.
    const added = ['adoptions', 'backfills', 'backfill_balances', 'discoveries'];
    for (const table of [...added, 'scope_entries', 'token_watches']) {
      await place.run(`DROP TABLE ${table}`);
    }
    await place.run('DELETE FROM mintwire_migrations WHERE id >= 6');
    for (const column of ['trades_from_ms', 'candles_from_ms', 'scope']) {
      await place.run(`ALTER TABLE checkpoints DROP COLUMN ${column}`);
    }
    const store = await place.open();
    const ids = [pair, range, singleton].map(({ record }) => record.pool);
    const found = await store.market.readPools('devnet', ids);
    await store.close();
    const findPlace = ({ pool }: PoolRecord) => ids.indexOf(pool);
    assert.deepEqual(
      found.sort((a, b) => findPlace(a) - findPlace(b)),
      [pair.record, range.record, singleton.record],
    );
  });
}
