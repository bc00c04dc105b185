// Conformance: a transaction is atomic, and nobody sees a part of it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MarketTransaction, Store } from '../../src/store/store.ts';
import { StaleWriterError } from '../../src/store/store-error.ts';
import { address } from '../test-ids.ts';
import { type CreatePlace, type StoreScene, useStore } from './store-place.ts';
import { buildCheckpoint, buildHeader, buildTrade, toAddress } from './store-samples.ts';

const ALL_TIME = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

export function describeTransactions(createPlace: CreatePlace): void {
  describe('transactions', () => {
    const scene = useStore(createPlace);
    itIsAtomic(() => scene.store);
    itIsolates(() => scene.store);
    itTakesTurns(() => scene);
    itFences(() => scene);
    itLivesOn(() => scene);
  });
}

function itIsAtomic(getStore: () => Store): void {
  it('leaves nothing behind when the work throws', async () => {
    const { market } = getStore();
    const balance = { token: toAddress(1), owner: toAddress(2), amountRaw: 3n };
    const failing = market.transaction('base', async (transaction) => {
      await transaction.putBalances([balance]);
      await transaction.insertTrades([buildTrade({ block: 1 })]);
      await transaction.setCheckpoint(buildCheckpoint(1));
      assert.deepEqual(await transaction.readBalances('base', [balance]), [balance]);
      throw new Error('stop here');
    });
    await assert.rejects(failing, /stop here/);
    assert.deepEqual(await market.readBalances('base', [balance]), []);
    const series = { token: toAddress(1), pool: null };
    assert.deepEqual(await market.readTradeRange('base', series, ALL_TIME), []);
    assert.equal(await market.readCheckpoint('base'), null);
  });

  it('does not commit what is left of a transaction in which a write failed', async () => {
    const { market } = getStore();
    const balance = { token: toAddress(1), owner: toAddress(4), amountRaw: 3n };
    const trade = buildTrade({ block: 3 });
    const hiding = market.transaction('base', async (transaction) => {
      await transaction.putBalances([balance]);
      await transaction.insertTrades([trade, trade]).catch(() => undefined);
    });
    await assert.rejects(hiding, /rolled back|unique/i);
    assert.deepEqual(await market.readBalances('base', [balance]), []);
  });

  it('refuses a call that comes after the transaction is over', async () => {
    const { market } = getStore();
    const balance = { token: toAddress(1), owner: toAddress(5), amountRaw: 3n };
    let kept: MarketTransaction | undefined;
    await market.transaction('base', async (transaction) => {
      kept = transaction;
    });
    await assert.rejects(kept!.putBalances([balance]), /over/);
    assert.deepEqual(await market.readBalances('base', [balance]), []);
  });

  it('does not confuse tokens after one was first written in a failed transaction', async () => {
    const { market } = getStore();
    const lost = { token: toAddress(60), owner: toAddress(1), amountRaw: 1n };
    const kept = { token: toAddress(61), owner: toAddress(1), amountRaw: 2n };
    const failing = market.transaction('base', async (transaction) => {
      await transaction.putBalances([lost]);
      throw new Error('stop here');
    });
    await assert.rejects(failing, /stop here/);
    await market.transaction('base', (transaction) => transaction.putBalances([kept]));
    await market.transaction('base', (transaction) =>
      transaction.putBalances([{ ...lost, amountRaw: 3n }]),
    );
    assert.deepEqual(
      await market.readBalancePage('base', address(lost.token), { after: null, limit: 10 }),
      [{ ...lost, amountRaw: 3n }],
    );
    assert.deepEqual(
      await market.readBalancePage('base', address(kept.token), { after: null, limit: 10 }),
      [kept],
    );
  });

  it('returns what the work returned', async () => {
    assert.equal(await getStore().market.transaction('base', async () => 42), 42);
  });
}

function itIsolates(getStore: () => Store): void {
  it('shows readers only what is committed, and a transaction its own writes', async () => {
    const { market } = getStore();
    const token = toAddress(20);
    const rows = Array.from({ length: 50 }, (_, index) => ({
      token,
      owner: toAddress(index + 1),
      amountRaw: 1n,
    }));
    await market.transaction('arbitrum', (transaction) => transaction.putBalances(rows));
    await market.transaction('arbitrum', async (transaction) => {
      await transaction.putBalances(rows.slice(0, 25).map((row) => ({ ...row, amountRaw: 2n })));
      const before = await market.readBalances('arbitrum', rows);
      assert.deepEqual(new Set(before.map((row) => row.amountRaw)), new Set([1n]));
      const own = await transaction.readBalances('arbitrum', rows);
      assert.deepEqual(own.filter((row) => row.amountRaw === 2n).length, 25);
      await transaction.putBalances(rows.slice(25).map((row) => ({ ...row, amountRaw: 2n })));
    });
    const after = await market.readBalances('arbitrum', rows);
    assert.deepEqual(new Set(after.map((row) => row.amountRaw)), new Set([2n]));
  });

  it('never shows a concurrent reader half of a transaction', async () => {
    const { market } = getStore();
    const token = toAddress(21);
    const owners = Array.from({ length: 20 }, (_, index) => toAddress(index + 1));
    const put = (amountRaw: bigint) =>
      market.transaction('arbitrum', async (transaction) => {
        for (const owner of owners) await transaction.putBalances([{ token, owner, amountRaw }]);
      });
    await put(1n);
    let writing = true;
    const reader = (async () => {
      let reads = 0;
      while (writing) {
        const rows = await market.readBalancePage('arbitrum', token, { after: null, limit: 100 });
        assert.equal(rows.length, owners.length);
        assert.equal(new Set(rows.map((row) => row.amountRaw)).size, 1);
        reads += 1;
        await new Promise((done) => setImmediate(done));
      }
      return reads;
    })();
    for (let amount = 2n; amount < 20n; amount += 1n) await put(amount);
    writing = false;
    assert.ok((await reader) > 0);
  });
}

function itTakesTurns(getScene: () => StoreScene): void {
  const getStore = () => getScene().store;

  it('runs transactions that were asked for at once one after the other', async () => {
    const { market } = getStore();
    const key = { token: toAddress(22), owner: toAddress(1) };
    for (let round = 0; round < 5; round += 1) {
      await market.transaction('arbitrum', async (transaction) => {
        const [row] = await transaction.readBalances('arbitrum', [key]);
        await transaction.putBalances([{ ...key, amountRaw: (row?.amountRaw ?? 0n) + 1n }]);
      });
    }
    assert.deepEqual(await market.readBalances('arbitrum', [key]), [{ ...key, amountRaw: 5n }]);
    const all = Array.from({ length: 8 }, (_, index) =>
      market.transaction('arbitrum', (transaction) =>
        transaction.putBalances([{ ...key, owner: toAddress(100 + index), amountRaw: 1n }]),
      ),
    );
    await Promise.all(all);
    assert.equal(
      (await market.readBalancePage('arbitrum', address(key.token), { after: null, limit: 100 }))
        .length,
      9,
    );
  });

  it('lets another writer finish while it waits for it', async () => {
    const { place, store } = getScene();
    const other = await place.open();
    try {
      const put = (writer: Store, owner: number, pauseMs: number) =>
        writer.market.transaction('arbitrum', async (transaction) => {
          const row = { token: toAddress(24), owner: toAddress(owner), amountRaw: 1n };
          await transaction.putBalances([row]);
          await sleep(pauseMs);
        });
      await Promise.all([put(store, 1, 60), put(other, 2, 0), put(store, 3, 0)]);
      const rows = await store.market.readBalancePage('arbitrum', toAddress(24), {
        after: null,
        limit: 10,
      });
      assert.equal(rows.length, 3);
    } finally {
      await other.close();
    }
  });

  it('gives a snapshot one state, however far the writer moves meanwhile', async () => {
    const { market } = getStore();
    const key = { token: toAddress(23), owner: toAddress(1) };
    const put = (amountRaw: bigint) =>
      market.transaction('arbitrum', (transaction) =>
        transaction.putBalances([{ ...key, amountRaw }]),
      );
    await put(1n);
    await market.snapshot(async (reader) => {
      await put(2n);
      assert.deepEqual(await reader.readBalances('arbitrum', [key]), [{ ...key, amountRaw: 1n }]);
      assert.deepEqual(await market.readBalances('arbitrum', [key]), [{ ...key, amountRaw: 2n }]);
      for await (const page of reader.scanBalances('arbitrum')) {
        const row = page.find((other) => other.token === key.token);
        if (row !== undefined) assert.equal(row.amountRaw, 1n);
      }
    });
  });
}

function itFences(getScene: () => StoreScene): void {
  it('moves the checkpoint by one version at a time, from nothing to 1', async () => {
    const { market } = getScene().store;
    const set = (version: number) =>
      market.transaction('optimism', (transaction) =>
        transaction.setCheckpoint(buildCheckpoint(version)),
      );
    await assert.rejects(set(2), StaleWriterError);
    await set(1);
    assert.deepEqual(await market.readCheckpoint('optimism'), buildCheckpoint(1));
    await assert.rejects(set(1), StaleWriterError);
    await assert.rejects(set(3), StaleWriterError);
    await set(2);
    assert.deepEqual(await market.readCheckpoint('optimism'), buildCheckpoint(2));
  });

  it('rejects a stale writer and all of its writes', async () => {
    const { place, store } = getScene();
    const other = await place.open();
    try {
      const version = (await store.market.readCheckpoint('optimism'))!.version;
      const commit = (writer: Store, block: number) =>
        writer.market.transaction('optimism', async (transaction) => {
          await transaction.putHeaders([buildHeader(block)]);
          await transaction.setCheckpoint(buildCheckpoint(version + 1, block));
        });
      await commit(store, 100);
      await assert.rejects(commit(other, 200), (error: unknown) => {
        assert.ok(error instanceof StaleWriterError);
        assert.match(error.message, new RegExp(`version ${version + 1}.*expected ${version}`));
        return true;
      });
      const headers = await other.market.readHeaders('optimism');
      assert.deepEqual(headers, [buildHeader(100)]);
    } finally {
      await other.close();
    }
  });

  it('lets exactly one of two writers through that commit at the same moment', async () => {
    const { place, store } = getScene();
    const other = await place.open();
    try {
      for (let round = 1; round <= 10; round += 1) {
        const results = await Promise.allSettled(
          [store, other].map((writer) =>
            writer.market.transaction('ethereum', (transaction) =>
              transaction.setCheckpoint(buildCheckpoint(round)),
            ),
          ),
        );
        const lost = results.filter((result) => result.status === 'rejected');
        assert.equal(lost.length, 1);
        assert.ok(lost[0]!.reason instanceof StaleWriterError);
      }
    } finally {
      await other.close();
    }
  });
}

function itLivesOn(getScene: () => StoreScene): void {
  it('holds after closing and opening again, and closes more than once', async () => {
    const { place } = getScene();
    const balance = { token: toAddress(40), owner: toAddress(1), amountRaw: 2n ** 256n - 1n };
    const first = await place.open();
    await first.market.transaction('bsc', (transaction) => transaction.putBalances([balance]));
    await first.ping();
    await first.close();
    await first.close();
    await assert.rejects(first.ping());
    const second = await place.open();
    assert.deepEqual(await second.market.readBalances('bsc', [balance]), [balance]);
    await second.close();
  });

  it('finishes the transactions under way before it closes', async () => {
    const { place } = getScene();
    const balance = { token: toAddress(41), owner: toAddress(1), amountRaw: 7n };
    const first = await place.open();
    const writing = first.market.transaction('bsc', async (transaction) => {
      await sleep(20);
      await transaction.putBalances([balance]);
    });
    await first.close();
    await writing;
    const second = await place.open();
    assert.deepEqual(await second.market.readBalances('bsc', [balance]), [balance]);
    await second.close();
  });

  it('reports how long each operation took', async () => {
    const { place } = getScene();
    const timings: [string, number][] = [];
    const timed = await place.open((operation, ms) => timings.push([operation, ms]));
    const balance = { token: toAddress(42), owner: toAddress(1), amountRaw: 7n };
    await timed.market.transaction('bsc', (transaction) => transaction.putBalances([balance]));
    await timed.market.readBalances('bsc', [balance]);
    await timed.close();
    const names = timings.map(([operation]) => operation);
    for (const name of ['upsert balances', 'transaction', 'select balances']) {
      assert.ok(names.includes(name), `${name} in ${names.join(', ')}`);
    }
    assert.ok(timings.every(([, ms]) => ms >= 0));
  });
}
