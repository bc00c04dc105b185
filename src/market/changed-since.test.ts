// The tokens that changed since a commit: nothing that differs may be missing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createMarketScene } from '../../test/market-scene.ts';
import type { MarketStore } from '../store/store.ts';
import { listChangedSince } from './changed-since.ts';

async function readListings(store: MarketStore) {
  const rows = [];
  for await (const page of store.scanListings('devnet')) rows.push(...page);
  return new Map(rows.map((row) => [row.token, row]));
}

test('every token that is new or whose listing differs is named, and not all of them', async (t) => {
  const scene = await createMarketScene(t, {
    ...{ engine: 'sqlite', seed: 9, finalityDepth: 4, blocks: 40 },
  });
  const { store, states } = scene.market.parts;
  const before = await readListings(store);
  const since = states.current('devnet') ?? assert.fail();
  scene.chain.extend(2);
  await scene.settle();
  const changed = await listChangedSince(store, 'devnet', { since, countMax: 1000 });
  assert.ok(changed !== null && changed.size > 0);
  let differing = 0;
  for (const [token, row] of await readListings(store)) {
    if (isDeepStrictEqual(row, before.get(token))) continue;
    differing += 1;
    assert.ok(changed.has(token), token);
  }
  assert.ok(differing > 0);
  assert.equal(await listChangedSince(store, 'devnet', { since, countMax: 0 }), null);
});
