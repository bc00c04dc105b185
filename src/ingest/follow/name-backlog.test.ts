// Names that an endpoint could not tell are read again, also those that an older version stored.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { startIndexer } from '../../../test/fakes/indexed-chain.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import { NameBacklog } from './name-backlog.ts';

const ADDRESS = '0x0000000000000000000000000000000000000001' as TokenRecord['token'];

async function listTokens(store: MarketStore): Promise<TokenRecord[]> {
  const all: TokenRecord[] = [];
  for await (const rows of store.scanTokens('devnet')) all.push(...rows);
  return all.sort((a, b) => (a.token < b.token ? -1 : 1));
}

async function indexAgain(store: MarketStore, chain: FakeChain, isLagging: boolean) {
  const indexed = startIndexer(chain, store);
  const { adapter } = indexed;
  const read = adapter.readTokenMetadata.bind(adapter);
  adapter.readTokenMetadata = async (tokens) =>
    (await read(tokens)).map((one) =>
      isLagging ? { ...one, symbol: null, name: null, decimals: null } : one,
    );
  await indexed.settle();
  return indexed;
}

const pickNames = (rows: readonly TokenRecord[]) =>
  rows.map(({ token, symbol, name, decimals }) => ({ token, symbol, name, decimals }));

test('what was stored without names and decimals heals by itself', async (t) => {
  const chain = new FakeChain({ seed: 31, finalityDepth: 3 });
  chain.extend(30);
  const [place, other] = [await createSqlitePlace(), await createSqlitePlace()];
  const [store, fresh] = [await place.open(), await other.open()];
  t.after(async () => {
    for (const one of [store, fresh]) await one.close();
    for (const one of [place, other]) await one.remove();
  });
  const first = await indexAgain(store.market, chain, true);
  await first.indexer.stop();
  const before = await listTokens(store.market);
  assert.ok(before.some(({ decimals }) => decimals === null));
  const right = await indexAgain(fresh.market, chain, false);
  await right.indexer.stop();
  const wanted = pickNames(await listTokens(fresh.market));
  const second = await indexAgain(store.market, chain, false);
  const deadlineMs = Date.now() + 20_000;
  for (;;) {
    const names = pickNames(await listTokens(store.market));
    if (JSON.stringify(names) === JSON.stringify(wanted)) break;
    if (Date.now() > deadlineMs) assert.deepEqual(names, wanted);
    await setImmediate();
  }
  await second.indexer.stop();
  const told = second.events.flatMap(({ tokens }) => tokens);
  assert.ok(before.every(({ token, decimals }) => decimals !== null || told.includes(token)));
});

test('a token that never has a name is asked for ever less often, and then no more', async () => {
  let nowMs = 0;
  const asked: number[] = [];
  const backlog = new NameBacklog({
    adapter: { chain: 'devnet' },
    // The network's edge: nothing is stored.
    store: { scanTokensWithoutDecimals: async function* () {} },
    clock: { nowMs: () => nowMs },
    update: async (tokens) => {
      asked.push(nowMs);
      return tokens;
    },
  });
  backlog.add([ADDRESS]);
  for (let minute = 0; minute < 10 * 24 * 60; minute += 1) {
    await backlog.catchUp();
    nowMs += 60_000;
  }
  const waits = asked.map((atMs, index) => atMs - (asked[index - 1] ?? 0));
  assert.deepEqual(
    waits,
    waits.toSorted((a, b) => a - b),
  );
  assert.equal(asked.length, 5);
});
