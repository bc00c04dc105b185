// The price of a native coin in /chains: that of its deepest form, once per commit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMarketScene } from '../../test/market-scene.ts';
import type { ChainAnswer, FollowedChainStatus } from './chain-status.ts';
import { createGetChains } from './create-get-chains.ts';

const STATUS: FollowedChainStatus = {
  slug: 'devnet',
  answer: { slug: 'devnet', status: 'ready', progress: null } as ChainAnswer,
  ...{ notReady: null, limitations: [], progress: null },
  source: { head: null, endpoints: [], lastError: null, backfill: null, undecoded: [] },
};

test('the native coin has the price of its deepest form, read once per commit', async (t) => {
  const scene = await createMarketScene(t, {
    ...{ engine: 'sqlite', seed: 8, finalityDepth: 20, blocks: 150 },
  });
  const { parts } = scene.market;
  let reads = 0;
  let isDown = false;
  const getChains = createGetChains({
    ...parts,
    store: {
      readTokens: (chain, tokens) => {
        reads += 1;
        return isDown ? Promise.reject(new Error('down')) : parts.store.readTokens(chain, tokens);
      },
    },
    directory: { list: () => [STATUS] },
  });
  const readNative = async () => (await getChains()).chains[0]!.native;
  const native = await readNative();
  const { assets } = parts.chains.find('devnet')!;
  const rows = await parts.store.readTokens('devnet', [...assets.native]);
  const prices = rows.map(({ priceUsd }) => priceUsd).filter((price) => price !== null);
  assert.ok(native.priceUsd !== null && prices.includes(native.priceUsd), JSON.stringify(prices));
  assert.deepEqual([native.symbol, native.decimals], ['ETH', 18]);
  assert.deepEqual(await readNative(), native);
  assert.equal(reads, 1);
  // A store that fails leaves the last price.
  isDown = true;
  scene.chain.extend(1);
  await scene.settle();
  assert.deepEqual(await readNative(), native);
  assert.equal(reads, 2);
  // It is read again, although there was no commit.
  isDown = false;
  assert.notEqual((await readNative()).priceUsd, null);
  assert.equal(reads, 3);
  await readNative();
  assert.equal(reads, 3);
});
