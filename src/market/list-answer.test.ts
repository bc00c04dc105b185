// A list over all chains answers for those that are ready.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsk, createMarketScene, createTestMarket } from '../../test/market-scene.ts';

const NOT_READY = { code: 'NOT_READY' };

test('a chain that is not ready is left out of lists, unless it is asked for by name', async (t) => {
  const options = { seed: 12, finalityDepth: 20, blocks: 60 };
  const scene = await createMarketScene(t, { engine: 'sqlite', ...options });
  const market = createTestMarket({ store: scene.store, unready: ['base'] });
  await market.start();
  try {
    const ask = createAsk(market);
    for (const [id, rows] of [
      ['listTokens', 'tokens'],
      ['listPools', 'pools'],
    ] as const) {
      const input = { sort: 'liquidity', limit: 1 };
      const { json: first } = await ask(id, input);
      assert.equal(first[rows].length, 1);
      assert.deepEqual(Object.keys(first.asOf), ['devnet']);
      const { json: second } = await ask(id, { ...input, cursor: first.nextCursor });
      assert.equal(second[rows].length, 1);
      assert.notDeepEqual(second[rows], first[rows]);
      await assert.rejects(ask(id, { chain: 'base' }), NOT_READY);
      await assert.rejects(ask(id, { chain: 'base,devnet' }), NOT_READY);
    }
  } finally {
    // Before the scene closes the store.
    await market.stop();
  }
});

test('lists of chains none of which is ready are 503', async (t) => {
  const scene = await createMarketScene(t, {
    engine: 'sqlite',
    seed: 12,
    finalityDepth: 20,
    blocks: 1,
  });
  // It was not started, so it knows no commit of the devnet.
  const ask = createAsk(createTestMarket({ store: scene.store, unready: ['base', 'ethereum'] }));
  await assert.rejects(ask('listTokens', {}), NOT_READY);
  await assert.rejects(ask('listPools', {}), NOT_READY);
});
