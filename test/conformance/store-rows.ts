// Conformance: every kind of row is stored unchanged and found by its key.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Address } from '../../src/model/ids.ts';
import type { PoolRecord } from '../../src/model/pool.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../fast-check.ts';
import { address, poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import {
  balanceRecord,
  poolRecord,
  tickRecord,
  tokenRecord,
  uint256,
  uniqueBy,
} from './store-records.ts';
import { buildCheckpoint, toAddress, write } from './store-samples.ts';

const RUNS = { numRuns: 12 };

export function describeRows(createPlace: CreatePlace): void {
  describe('rows', () => {
    const scene = useStore(createPlace);
    itKeepsRecords(() => scene.store);
    itReplacesAndDeletes(() => scene.store);
    itSortsBalances(() => scene.store);
    itFindsPools(() => scene.store);
    itFindsPoolsOfPair(() => scene.store);
    itKeepsHostileText(() => scene.store);
  });
}

function itKeepsRecords(getStore: () => Store): void {
  it('returns tokens, pools, ticks and balances exactly as they were put', async () => {
    const { market } = getStore();
    const property = fc.asyncProperty(
      uniqueBy(tokenRecord, (row) => row.token),
      uniqueBy(poolRecord, (row) => row.pool),
      uniqueBy(tickRecord, (row) => `${row.pool} ${row.tick}`),
      uniqueBy(balanceRecord, (row) => `${row.token} ${row.owner}`),
      async (tokens, pools, ticks, balances) => {
        await write(getStore(), async (transaction) => {
          await transaction.putTokens(tokens);
          await transaction.putPools(pools);
          await transaction.putTicks(ticks);
          await transaction.putBalances(balances);
        });
        for (const token of tokens) {
          assert.deepEqual(await market.readTokens('devnet', [token.token]), [token]);
        }
        for (const pool of pools) {
          assert.deepEqual(await market.readPools('devnet', [pool.pool]), [pool]);
        }
        const pool = ticks[0]!.pool;
        const ofPool = ticks.filter((row) => row.pool === pool).sort((a, b) => a.tick - b.tick);
        const keys = new Set(ofPool.map((row) => row.tick));
        const stored = await market.readTicks('devnet', [pool]);
        assert.deepEqual(
          stored.filter((row) => keys.has(row.tick)),
          ofPool,
        );
        for (const row of balances) {
          assert.deepEqual(await market.readBalances('devnet', [row]), [row]);
        }
      },
    );
    await fc.assert(property, RUNS);
  });
}

function itReplacesAndDeletes(getStore: () => Store): void {
  it('replaces a row that is put again, and deletes what fell to zero', async () => {
    const { market } = getStore();
    const token = toAddress(901);
    const balance = { token, owner: toAddress(902), amountRaw: 5n };
    const tick = { pool: poolId(toAddress(903)), tick: -60, liquidityGross: 7n, liquidityNet: -7n };
    await write(getStore(), async (transaction) => {
      await transaction.putBalances([balance]);
      await transaction.putTicks([tick]);
      await transaction.putBalances([{ ...balance, amountRaw: 6n }]);
    });
    assert.deepEqual(await market.readBalances('devnet', [balance]), [
      { ...balance, amountRaw: 6n },
    ]);
    await write(getStore(), async (transaction) => {
      await transaction.putBalances([{ ...balance, amountRaw: 0n }]);
      await transaction.putTicks([{ ...tick, liquidityGross: 0n, liquidityNet: 0n }]);
    });
    assert.deepEqual(await market.readBalances('devnet', [balance]), []);
    assert.deepEqual(await market.readBalancePage('devnet', token, { after: null, limit: 10 }), []);
    assert.deepEqual(await market.readTicks('devnet', [tick.pool]), []);
  });

  it('keeps chains apart, and leaves out keys that are not stored', async () => {
    const { market } = getStore();
    const balance = { token: toAddress(910), owner: toAddress(911), amountRaw: 5n };
    await write(getStore(), (transaction) => transaction.putBalances([balance]));
    assert.deepEqual(await market.readBalances('base', [balance]), []);
    const unknown = { token: toAddress(910), owner: toAddress(999) };
    assert.deepEqual(await market.readBalances('devnet', [unknown, balance]), [balance]);
    assert.deepEqual(await market.readTokens('devnet', [toAddress(987_654)]), []);
    assert.deepEqual(await market.readTokens('devnet', []), []);
    assert.equal(await market.readCheckpoint('base'), null);
  });
}

function itSortsBalances(getStore: () => Store): void {
  it('ranks holders by all 256 bits of their balance, then by owner', async () => {
    let number = 10_000;
    const amounts = fc.array(
      uint256.filter((amount) => amount > 0n),
      { minLength: 1, maxLength: 30 },
    );
    const property = fc.asyncProperty(amounts, fc.integer({ min: 1, max: 30 }), async (all, n) => {
      number += 1;
      const token = toAddress(number);
      const balances = all.map((amountRaw, index) => ({
        token,
        owner: toAddress(index + 1),
        amountRaw,
      }));
      await write(getStore(), (transaction) => transaction.putBalances(balances));
      const expected = balances
        .toSorted((a, b) =>
          a.amountRaw === b.amountRaw
            ? a.owner < b.owner
              ? -1
              : 1
            : a.amountRaw > b.amountRaw
              ? -1
              : 1,
        )
        .slice(0, n);
      assert.deepEqual(
        await getStore().market.readBalancePage('devnet', token, { after: null, limit: n }),
        expected,
      );
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it('adds a balance that is not stored, and refuses one that is', async () => {
    const [token, owner] = [toAddress(960), toAddress(961)];
    const balance = { token, owner, amountRaw: 5n };
    const add = () => write(getStore(), (transaction) => transaction.addBalances([balance]));
    await add();
    assert.deepEqual(await getStore().market.readBalances('devnet', [balance]), [balance]);
    await assert.rejects(add());
  });

  it('refuses an amount that does not fit in 256 bits', async () => {
    const balance = { token: toAddress(950), owner: toAddress(951), amountRaw: 2n ** 256n };
    await assert.rejects(
      write(getStore(), (transaction) => transaction.putBalances([balance])),
      RangeError,
    );
  });
}

function itFindsPools(getStore: () => Store): void {
  it('finds pools by either token, and by a pair of them', async () => {
    const { market } = getStore();
    const [sample] = fc.sample(poolRecord, { numRuns: 1, seed: 3 });
    const [a, b, c] = [toAddress(31), toAddress(32), toAddress(33)];
    const pools = [
      { ...sample!, pool: poolId(toAddress(301)), token0: a!, token1: b! },
      { ...sample!, pool: poolId(toAddress(302)), token0: b!, token1: c! },
      { ...sample!, pool: poolId(toAddress(303)), token0: a!, token1: c! },
    ];
    await market.transaction('base', (transaction) => transaction.putPools(pools));
    const find = async (tokens: Address[], against?: Address[]) =>
      (await market.readPoolsOfTokens('base', tokens, against)).map((row) => row.pool).sort();
    assert.deepEqual(await find([a!]), [toAddress(301), toAddress(303)]);
    assert.deepEqual(await find([b!, c!]), [toAddress(301), toAddress(302), toAddress(303)]);
    assert.deepEqual(await find([b!], [a!]), [toAddress(301)]);
    assert.deepEqual(await find([c!], [a!, b!]), [toAddress(302), toAddress(303)]);
    assert.deepEqual(await find([a!], []), []);
    assert.deepEqual(await find([]), []);
  });
}

function itFindsPoolsOfPair(getStore: () => Store): void {
  it('finds the oldest pools of a pair and a kind, whether they have traded or not', async () => {
    const { market } = getStore();
    const [sample] = fc.sample(poolRecord, { numRuns: 1, seed: 3 });
    const [a, b, c] = [toAddress(41), toAddress(42), toAddress(43)];
    const build = (number: number, more: Partial<PoolRecord>) =>
      ({
        ...{ ...sample!, pool: poolId(toAddress(number)), token0: a!, token1: b! },
        ...{ createdBlock: 1000 - number, lastSwapAtMs: 5, ...more },
      }) as PoolRecord;
    const pools = [
      ...[build(401, {}), build(402, {}), build(403, { token0: b!, token1: a! })],
      ...[build(404, { lastSwapAtMs: null }), build(405, { token1: c! })],
      build(406, { kind: 'tradesOnly', terms: null, state: { last0: 1n, last1: 2n } }),
    ];
    await market.transaction('base', (transaction) => transaction.putPools(pools));
    const find = async (kind: PoolRecord['kind'], limit: number) =>
      (await market.readPoolsOfPair('base', [b!, a!], { kind, limit })).map((row) => row.pool);
    const oldest = [404, 403, 402, 401].map((number) => toAddress(number));
    assert.notEqual(sample!.kind, 'tradesOnly');
    assert.deepEqual(await find(sample!.kind, 10), oldest);
    assert.deepEqual(await find(sample!.kind, 2), oldest.slice(0, 2));
    assert.deepEqual(await find('tradesOnly', 10), [toAddress(406)]);
  });
}

function itKeepsHostileText(getStore: () => Store): void {
  it('keeps hostile text, and drops only what no text column can hold', async () => {
    const { market } = getStore();
    const [sample] = fc.sample(tokenRecord, { numRuns: 1, seed: 4 });
    const kept = [
      'emoji 🦄🏳️‍🌈',
      'right to left \u202e txt.exe \u200f',
      `quotes ' " \` ; -- /* */ $1 ? \\ {} NULL`,
      'x'.repeat(10_240),
      '🦄'.repeat(5_000),
      '\u0001\u001f\ufffe\uffff',
      '',
    ];
    const token = toAddress(960);
    for (const text of kept) {
      const row = { ...sample!, token, symbol: text, name: text };
      await write(getStore(), (transaction) => transaction.putTokens([row]));
      assert.deepEqual(await market.readTokens('devnet', [token]), [row]);
    }
    const row = { ...sample!, token, symbol: 'a\u0000b\u0000', name: 'lone \ud800 surrogate' };
    await write(getStore(), async (transaction) => {
      await transaction.putTokens([row]);
      await transaction.putUndo([
        {
          ...{ block: 1, tokens: new Map([[token, row]]), pools: new Map(), ticks: [] },
          ...{ balances: [], positions: [] },
        },
      ]);
    });
    const cleaned = { ...row, symbol: 'ab', name: 'lone \ufffd surrogate' };
    assert.deepEqual(await market.readTokens('devnet', [token]), [cleaned]);
    await write(getStore(), async (transaction) => {
      await transaction.undoAbove(0);
      await transaction.setCheckpoint(buildCheckpoint(1));
    });
    assert.deepEqual(await market.readTokens('devnet', [token]), [cleaned]);
  });
  it('refuses U+0000 where it cannot be dropped, in keys', async () => {
    const row = { token: toAddress(961), owner: address('a\u0000b'), amountRaw: 1n };
    await assert.rejects(write(getStore(), (transaction) => transaction.putBalances([row])));
  });
}
