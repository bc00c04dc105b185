// Conformance: the schema is created once, recorded, and rejected if it is not ours.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { CandleRecord } from '../../src/model/market-record.ts';
import type { PoolRecord } from '../../src/model/pool.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import { StoreSchemaError } from '../../src/store/store-schema-error.ts';
import { POOLS_BEFORE_KINDS } from './pools-before-kinds.ts';
import {
  BALANCES,
  buildRowsBeforeCompact,
  CANDLES,
  REVERTED,
  TRADES,
} from './rows-before-compact.ts';
import { migrateUpTo } from './store-before.ts';
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
      for (const [index, row] of first.entries()) {
        const mark = MIGRATIONS[index]?.isAdditive ? 'additive ' : '';
        assert.match(String(row['checksum']), new RegExp(`^${mark}[0-9a-f]{64}$`));
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
      const newer = (MIGRATIONS.at(-1)?.id ?? 0) + 1;
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

    itUpgradesPools(() => place);
    itCompactsRows(() => place);

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
    await migrateUpTo(place, 5);
    const { pair, range, singleton } = POOLS_BEFORE_KINDS;
    for (const { sql } of [pair, range, singleton]) await place.run(sql);
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

async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

function itCompactsRows(getPlace: () => StorePlace): void {
  it('keep every trade, candle and balance when rows become smaller', async () => {
    const place = getPlace();
    await migrateUpTo(place, 11);
    for (const statement of buildRowsBeforeCompact(place.address.engine)) {
      await place.run(statement);
    }
    const store = await place.open();
    const { market } = store;
    assert.deepEqual(await collect(market.scanTrades('devnet')), TRADES);
    const byInterval = (a: CandleRecord, b: CandleRecord) => (a.interval < b.interval ? 1 : -1);
    assert.deepEqual((await collect(market.scanCandles('devnet'))).sort(byInterval), CANDLES);
    assert.deepEqual(await market.readBalances('devnet', BALANCES.slice(0, 1)), [BALANCES[0]]);
    for (const balance of BALANCES) {
      assert.deepEqual(await market.readBalances('devnet', [balance]), [balance]);
    }
    const wanted = { afterVersion: 0, limit: 10 };
    const { token, timestampMs, block, logIndex, txHash, index } = REVERTED;
    assert.deepEqual(await market.readRevertedTrades('devnet', token, wanted), [
      { version: 4, timestampMs, block, logIndex, txHash, index },
    ]);
    // A rewritten row is found by its key, and not added a second time.
    await market.transaction('devnet', async (transaction) => {
      await transaction.putBalances(BALANCES);
      await transaction.putCandles(CANDLES);
    });
    assert.equal((await collect(market.scanBalances('devnet'))).length, BALANCES.length);
    assert.equal((await collect(market.scanCandles('devnet'))).length, CANDLES.length);
    await assert.rejects(
      market.transaction('devnet', (transaction) => transaction.insertTrades(TRADES)),
    );
    await store.close();
  });
}
