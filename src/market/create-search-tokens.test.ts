// A search over all chains answers for those that are ready.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createAsk, createMarketScene, createTestMarket } from '../../test/market-scene.ts';
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
