// Pins what columns wait for before they are loaded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createMarketScene } from '../../../test/market-scene.ts';
import { MarketColumns } from './market-columns.ts';

const SCENE = { engine: 'sqlite', seed: 3, finalityDepth: 8, blocks: 20 } as const;
const TURNS = 200;

test('columns are loaded after the rolling stats, and not if they were stopped meanwhile', async (t) => {
  const scene = await createMarketScene(t, SCENE);
  const { store, states } = scene.market.parts;
  const open = () => {
    const stats = Promise.withResolvers<void>();
    const columns = new MarketColumns({
      ...{ store, states, listChains: () => ['devnet'] },
      findAssets: () => ({ native: new Set(), stable: new Set() }),
      lists: { directory: new Map(), subscribe: () => () => undefined },
      untilStats: () => stats.promise,
      onLoaded: () => undefined,
      onError: (error) => assert.fail(String(error)),
    });
    columns.start();
    return { stats, columns };
  };
  const one = open();
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
  assert.equal(one.columns.find('devnet'), null);
  one.stats.resolve();
  while (one.columns.find('devnet') === null) await setImmediate();
  const other = open();
  const stopped = other.columns.stop();
  other.stats.resolve();
  await Promise.all([stopped, one.columns.stop()]);
  assert.equal(other.columns.find('devnet'), null);
});
