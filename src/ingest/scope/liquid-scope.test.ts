// Scope `liquid` under spam: calls, rows and memory grow with what passes the floor, not with what
// is deployed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  BUSY_DEPLOYMENT,
  type BusyVenue,
  buildBusySwap,
  buildBusyToken,
  createBusyPool,
  startBusyChain,
} from '../../../test/fakes/busy-chain.ts';
import { address, TRADER } from '../../../test/fakes/chain-scene.ts';
import { readIndex } from '../../../test/fakes/indexed-chain.ts';
import type { MemoryChain } from '../../../test/fakes/memory-chain.ts';
import { type ScopedIndex, startScopedIndex } from '../../../test/fakes/scoped-index.ts';
import { poolId } from '../../../test/test-ids.ts';
import { listRankedAssets } from '../../chains/quote-rule.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import { OutsidePools } from './liquid-scope.ts';

const E18 = 10n ** 18n;
/** The coin is worth 3,000 USD. */
const FLOOR = { name: 'liquid', floorUsdE18: 1000n * E18 } as const;
/** 60 USD in all. */
const SPAM_RAW = E18 / 100n;
const LIQUID_RAW = 10n * E18;

const VENUES: readonly BusyVenue[] = ['v2', 'v3', 'v4'];

function startLiquid(t: { after(work: () => unknown): void }, chain: MemoryChain) {
  return startScopedIndex(t, chain, { deployment: BUSY_DEPLOYMENT, scope: FLOOR });
}

async function readEntries({ store }: ScopedIndex): Promise<readonly ScopeEntry[]> {
  const entries: ScopeEntry[] = [];
  for await (const rows of store.scanScopeEntries('devnet')) entries.push(...rows);
  return entries.filter(({ pool }) => pool !== null);
}

/** The balances of the quote assets are their own: they are in scope, whoever holds them. */
async function countRows({ store, adapter }: ScopedIndex) {
  const { tokens, pools, ticks, balances, trades, candles } = await readIndex(store);
  const quotes = new Set(listRankedAssets(adapter.assets));
  const others = balances.filter(({ token }) => !quotes.has(token));
  return [tokens, pools, ticks, others, trades, candles].map(({ length }) => length);
}

/** Three liquid tokens among spam: each of it has a pool, and is sent around and bought. */
async function indexSpam(t: { after(work: () => unknown): void }, spamCount: number) {
  const chain = startBusyChain();
  const liquid = VENUES.map((venue, index) => buildBusyToken(99_999 + index, venue));
  chain.add(liquid.map((one) => createBusyPool(one, LIQUID_RAW)));
  const spam = Array.from({ length: spamCount }, (_, index) => buildBusyToken(index));
  for (let at = 0; at < spam.length; at += 250) {
    chain.add(spam.slice(at, at + 250).map((one) => createBusyPool(one, SPAM_RAW)));
  }
  chain.add(
    spam
      .filter((_, index) => index % 10 === 0)
      .map((one) => ({ from: TRADER, logs: buildBusySwap(one, 1, SPAM_RAW) })),
  );
  chain.add(liquid.map((one) => ({ from: TRADER, logs: buildBusySwap(one, 1) })));
  for (let at = 0; at < 8; at += 1) chain.add([]);
  const index = await startLiquid(t, chain);
  await index.settle();
  await index.stop();
  return { index, liquid, calls: index.node.count('eth_call') };
}

describe('spam under scope liquid', () => {
  test('costs no call and no row, however much there is', async (t) => {
    const few = await indexSpam(t, 250);
    const many = await indexSpam(t, 5000);
    assert.equal(many.calls, few.calls);
    assert.deepEqual(await countRows(many.index), await countRows(few.index));
    const entries = await readEntries(many.index);
    assert.deepEqual(
      new Set(entries.map(({ token }) => token)),
      new Set(many.liquid.map(({ token }) => token)),
    );
    const { tokens, trades } = await readIndex(many.index.store);
    // The liquid ones, the wrapped coin and the stable one.
    assert.equal(tokens.length, 5);
    assert.equal(trades.filter(({ token }) => tokens.some((row) => row.token === token)).length, 3);
  });

  test('is remembered up to a limit, without events to keep it', () => {
    const outside = new OutsidePools(100);
    for (let index = 0; index < 50_000; index += 1) {
      const pool = poolId(address(0x30_0000 + index));
      const change = {
        poolKind: 'concentrated',
        type: 'initialized',
        sqrtPriceX96: 2n ** 96n,
        tick: 0,
      } as const;
      const description = { pool, kind: 'concentrated' } as PoolDescription;
      outside.apply({ kind: 'poolChanged', pool, change }, { block: index, description });
      assert.ok(outside.size <= 100);
    }
  });
});

describe('a token whose pool passes the floor', () => {
  for (const venue of VENUES) {
    const one = buildBusyToken(100_010, venue);

    test(`comes in with the next block, on ${venue}`, async (t) => {
      const chain = startBusyChain();
      chain.add([createBusyPool(one, SPAM_RAW)]);
      const index = await startLiquid(t, chain);
      await index.settle();
      assert.deepEqual(await readEntries(index), []);
      // 600 thousandths of a coin come in, which are 1,800 USD.
      const passing = chain.add([{ from: TRADER, logs: buildBusySwap(one, 600, SPAM_RAW) }]);
      await index.settle();
      const [entry] = await readEntries(index);
      assert.deepEqual([entry?.token, entry?.fromBlock], [one.token, passing + 1]);
      const stored = await readIndex(index.store);
      assert.deepEqual(stored.trades, []);
      assert.equal(stored.pools.filter(({ pool }) => pool === one.pool).length, 1);
      chain.add([{ from: TRADER, logs: buildBusySwap(one, 5) }]);
      await index.settle();
      const { trades, tokens } = await readIndex(index.store);
      assert.deepEqual(
        trades.map(({ token, block }) => ({ token, block })),
        [{ token: one.token, block: passing + 1 }],
      );
      assert.ok(tokens.some(({ token, balancesBroken }) => token === one.token && balancesBroken));
    });
  }

  test('is out again where a reorganisation took that back', async (t) => {
    const one = buildBusyToken(100_010, 'v3');
    const chain = startBusyChain();
    chain.add([createBusyPool(one, SPAM_RAW)]);
    const index = await startLiquid(t, chain);
    await index.settle();
    chain.add([{ from: TRADER, logs: buildBusySwap(one, 600, SPAM_RAW) }]);
    chain.add([{ from: TRADER, logs: buildBusySwap(one, 5) }]);
    await index.settle();
    assert.equal((await readEntries(index)).length, 1);
    chain.drop(2);
    for (let at = 0; at < 3; at += 1) chain.add([], 'other');
    await index.settle();
    assert.deepEqual(await readEntries(index), []);
    const stored = await readIndex(index.store);
    assert.ok(!stored.tokens.some(({ token }) => token === one.token));
    assert.deepEqual(stored.trades, []);
  });

  test('is not let in by a loan within a block', async (t) => {
    const one = buildBusyToken(100_010, 'v2');
    const chain = startBusyChain();
    chain.add([createBusyPool(one, SPAM_RAW)]);
    const [, , sync] = buildBusySwap(one, 600, SPAM_RAW);
    const [, , back] = createBusyPool(one, SPAM_RAW).logs.slice(-3);
    chain.add([{ from: TRADER, logs: [sync!, back!] }]);
    const index = await startLiquid(t, chain);
    await index.settle();
    assert.deepEqual(await readEntries(index), []);
  });
});
