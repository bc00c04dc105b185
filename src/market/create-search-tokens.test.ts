// A search over all chains answers for those that are ready.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  createAsk,
  createMarketScene,
  createTestLists,
  createTestMarket,
  type Json,
} from '../../test/market-scene.ts';
import { address } from '../../test/test-ids.ts';
import { AppError } from '../errors/app-error.ts';

function isNotReady(error: unknown): boolean {
  return error instanceof AppError && error.code === 'NOT_READY';
}

test('a chain that is not ready is left out, unless it is the one that is asked for', async (t) => {
  const options = { seed: 12, finalityDepth: 20, blocks: 60 };
  const scene = await createMarketScene(t, { engine: 'sqlite', ...options });
  const market = createTestMarket({ store: scene.store, unready: ['base'] });
  await market.start();
  try {
    const ask = createAsk(market);
    const deadline = Date.now() + 20_000;
    while (!market.search.isLoaded('devnet')) {
      assert.ok(Date.now() < deadline, 'the search is not loaded');
      await setImmediate();
    }
    const { json } = await ask('searchTokens', { q: 't' });
    assert.ok(json.tokens.length > 0);
    assert.deepEqual(Object.keys(json.asOf), ['devnet']);
    const ofBase = async () => await ask('searchTokens', { q: 't', chain: 'base' });
    await assert.rejects(ofBase, isNotReady);
  } finally {
    // Before the scene closes the store.
    await market.stop();
  }
  const none = createTestMarket({ store: scene.store, unready: ['base', 'ethereum'] });
  await assert.rejects(async () => await createAsk(none)('searchTokens', { q: 't' }), isNotReady);
});

test('lists and search show what was measured of a deepest pool, also after it was cached', async (t) => {
  const options = { seed: 12, finalityDepth: 20, blocks: 60 };
  const scene = await createMarketScene(t, { engine: 'sqlite', ...options });
  let sellable: boolean | null | undefined;
  const market = createTestMarket({
    store: scene.store,
    findSafety: () => ({
      unitName: 'gas',
      find: () => null,
      isDoubted: () => false,
      sum: () => (sellable === undefined ? null : { buyTaxBps: 0, sellTaxBps: 300, sellable }),
      note: () => undefined,
    }),
  });
  await market.start();
  try {
    const ask = createAsk(market);
    const deadline = Date.now() + 20_000;
    while (!market.search.isLoaded('devnet')) {
      assert.ok(Date.now() < deadline, 'the search is not loaded');
      await setImmediate();
    }
    const readWarnings = async (operation: 'searchTokens' | 'listTokens', input: object) => {
      const { json } = await ask(operation, input as never);
      const tokens = json.tokens as { topPool: unknown; warnings: string[] }[];
      return tokens.filter(({ topPool }) => topPool !== null).map(({ warnings }) => warnings);
    };
    const unmeasured = await readWarnings('searchTokens', { q: 't' });
    assert.ok(unmeasured.length > 0);
    assert.ok(unmeasured.every((codes) => codes.length === 0));
    sellable = false;
    const expected = ['TAXED_TOKEN', 'UNSELLABLE'];
    for (const codes of await readWarnings('searchTokens', { q: 't' })) {
      assert.deepEqual(codes, expected);
    }
    const listed = await readWarnings('listTokens', { limit: 10 });
    assert.ok(listed.length > 0);
    for (const codes of listed) assert.deepEqual(codes, expected);
  } finally {
    await market.stop();
  }
});

test('a token that looks like a vouched one is told from it in search, lists and its own answer', async (t) => {
  const options = { seed: 12, finalityDepth: 20, blocks: 60 };
  const scene = await createMarketScene(t, { engine: 'sqlite', ...options });
  const rows = (await scene.ask('listTokens', { limit: 10 })).json.tokens;
  const { mint, symbol } = rows.find((one: Json) => one.symbol !== null);
  const vouched = address('0x00000000000000000000000000000000000000ff');
  const entry = {
    chain: 'devnet',
    token: vouched,
    symbol: `${symbol}\u0301`,
    name: null,
    links: null,
  };
  const lists = createTestLists([{ name: 'Test list', tokens: [entry] } as never]);
  const market = createTestMarket({ store: scene.store, lists });
  await market.start();
  try {
    const ask = createAsk(market);
    const deadline = Date.now() + 20_000;
    while (!market.search.isLoaded('devnet')) {
      assert.ok(Date.now() < deadline, 'the search is not loaded');
      await setImmediate();
    }
    const findAlike = async (operation: 'searchTokens' | 'listTokens', input: object) => {
      const { tokens } = (await ask(operation, input as never)).json;
      return tokens.filter(({ warnings }: Json) => warnings.includes('LOOKALIKE'));
    };
    // The second answer of search is made of kept summaries.
    for (const input of [{ q: mint }, { q: mint }]) {
      assert.deepEqual(
        (await findAlike('searchTokens', input)).map((one: Json) => one.mint),
        [mint],
      );
    }
    const listed = await findAlike('listTokens', { limit: 10 });
    assert.ok(listed.length < rows.length);
    assert.ok(listed.some((one: Json) => one.mint === mint));
    const { json } = await ask('getToken', { chain: 'devnet', mint });
    assert.equal(json.lookalikeOf.mint.toLowerCase(), vouched);
    const other = rows.find((one: Json) => listed.every((alike: Json) => alike.mint !== one.mint));
    const plain = await ask('getToken', { chain: 'devnet', mint: other.mint });
    assert.equal(plain.json.lookalikeOf, null);
  } finally {
    await market.stop();
  }
});
