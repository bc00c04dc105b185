// Names that a node did not tell are read again, whoever stored them as unknown, and those that no
// contract has are asked for ever more rarely.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { createFaults } from '../../../test/fakes/fake-faults.ts';
import { type IndexedChain, startIndexer } from '../../../test/fakes/indexed-chain.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';

const HOUR_MS = 3_600_000;

async function withStore(work: (store: MarketStore) => Promise<void>): Promise<void> {
  const place = await createSqlitePlace();
  const store = await place.open();
  try {
    await work(store.market);
  } finally {
    await store.close();
    await place.remove();
  }
}

async function listTraded(store: MarketStore): Promise<TokenRecord[]> {
  const rows: TokenRecord[] = [];
  for await (const page of store.scanTokens('devnet')) rows.push(...page);
  return rows.filter(({ tradeCount }) => tradeCount > 0);
}

/** Polls of the idle indexer take its time along. */
async function passTime({ clock }: IndexedChain, ms: number): Promise<void> {
  const endMs = clock.nowMs() + ms;
  while (clock.nowMs() < endMs) await setImmediate();
}

function isNamed({ symbol, name, decimals }: TokenRecord): boolean {
  return symbol !== null && name !== null && decimals !== null;
}

/** Of the fake chain's tokens these have no decimals. */
function hasDecimals({ token }: TokenRecord): boolean {
  return Number.parseInt(token.slice(-2), 16) !== 7;
}

function createChain(): FakeChain {
  const chain = new FakeChain({ seed: 31, finalityDepth: 4, clock: 'steady', seenWhole: true });
  chain.extend(60);
  return chain;
}

describe('names of tokens', () => {
  it('that no node told are there once one does, and trades have prices from then on', () =>
    withStore(async (store) => {
      const faults = createFaults();
      faults.isNameHidden = () => true;
      const chain = createChain();
      const running = startIndexer(chain, store, { faults });
      await running.settle();
      assert.ok((await listTraded(store)).every((row) => row.symbol === null));
      faults.isNameHidden = () => false;
      await passTime(running, 30 * 60_000);
      const named = (await listTraded(store)).filter(hasDecimals);
      assert.ok(named.length > 2 && named.every(isNamed));
      const told = new Set(
        running.events.flatMap(({ blockCount, tokens }) => (blockCount === 0 ? tokens : [])),
      );
      assert.ok(
        named.every(({ token }) => told.has(token)),
        'the commit names them',
      );
      chain.extend(40);
      await running.settle();
      await running.indexer.stop();
      assert.ok((await listTraded(store)).some(({ priceUsd }) => priceUsd !== null));
    }));

  it('that an older version stored as unknown heal after a start, without a new trade', () =>
    withStore(async (store) => {
      const faults = createFaults();
      faults.isNameHidden = () => true;
      const chain = createChain();
      const before = startIndexer(chain, store, { faults });
      await before.settle();
      await before.indexer.stop();
      assert.ok((await listTraded(store)).every((row) => !isNamed(row)));
      const after = startIndexer(chain, store);
      await after.settle();
      await passTime(after, 5 * 60_000);
      await after.indexer.stop();
      assert.ok((await listTraded(store)).filter(hasDecimals).every(isNamed));
    }));

  it('that a contract does not have are asked for once a day in the end, and nothing else is', () =>
    withStore(async (store) => {
      const faults = createFaults();
      const chain = createChain();
      const running = startIndexer(chain, store, { faults, pollIntervalMs: 60_000 });
      await running.settle();
      assert.ok((await listTraded(store)).some((row) => !isNamed(row)));
      let asked = 0;
      faults.beforeRequest = (method) => {
        if (method === 'readTokenMetadata') asked += 1;
      };
      await passTime(running, 20 * HOUR_MS);
      assert.ok(asked >= 2 && asked <= 4, `${asked} in the first hours`);
      asked = 0;
      await passTime(running, 24 * HOUR_MS);
      await running.indexer.stop();
      assert.ok(asked <= 1, `${asked} in a day`);
    }));

  it('that cannot be read do not hold the blocks up', () =>
    withStore(async (store) => {
      const faults = createFaults();
      faults.isNameHidden = () => true;
      const chain = createChain();
      const running = startIndexer(chain, store, { faults });
      await running.settle();
      faults.beforeRequest = (method) => {
        if (method === 'readTokenMetadata') throw new Error('no endpoint could answer');
      };
      await passTime(running, 30 * 60_000);
      assert.equal(running.indexer.status().state, 'following');
      assert.equal(running.indexer.status().error, undefined);
      await running.indexer.stop();
    }));
});
