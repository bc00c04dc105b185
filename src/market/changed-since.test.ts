// The tokens that changed since a commit: those that are new or were traded must be named.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMarketScene } from '../../test/market-scene.ts';
import type { Address } from '../model/ids.ts';
import type { MarketStore } from '../store/store.ts';
import { listChangedSince } from './changed-since.ts';

async function readTokens(store: MarketStore): Promise<Set<Address>> {
  const tokens = new Set<Address>();
  for await (const page of store.scanListings('devnet'))
    for (const row of page) tokens.add(row.token);
  return tokens;
}

test('every token that is new or was traded is named; too many are not listed', async (t) => {
  const scene = await createMarketScene(t, {
    ...{ engine: 'sqlite', seed: 9, finalityDepth: 4, blocks: 2 },
  });
  const { store, states } = scene.market.parts;
  const before = await readTokens(store);
  const since = states.current('devnet') ?? assert.fail();
  scene.chain.extend(20);
  await scene.settle();
  const list = (countMax: number, isPartEnough: boolean) =>
    listChangedSince(store, 'devnet', { since, countMax, isPartEnough });
  const changed = await list(1000, false);
  assert.ok(changed?.isWhole);
  const traded = new Set<Address>();
  for await (const page of store.scanTrades('devnet')) {
    for (const { token, block } of page) if (block > since.block) traded.add(token);
  }
  const added = [...(await readTokens(store))].filter((token) => !before.has(token));
  assert.ok(traded.size > 0 && added.length > 0, `${traded.size} traded, ${added.length} new`);
  for (const token of [...traded, ...added]) assert.ok(changed.tokens.has(token), token);
  assert.deepEqual([await list(0, false), await list(0, true)], [null, null]);
  // All that changed are too many, those that are new are not.
  assert.equal(await list(added.length, false), null);
  const part = await list(added.length, true);
  assert.equal(part?.isWhole, false);
  for (const token of added) assert.ok(part?.tokens.has(token), token);
});
