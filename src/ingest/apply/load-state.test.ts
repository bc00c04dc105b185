// Rows are loaded from the store, or from memory where the batch before is not stored yet.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHeader, buildToken } from '../../../test/conformance/store-samples.ts';
import { FakeAdapter, FakeChain } from '../../../test/fakes/fake-chain.ts';
import { buildFakeAddress, FAKE_ASSETS } from '../../../test/fakes/fake-market.ts';
import { buildSwapEvent, createPool } from '../../../test/fakes/index-events.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import { copyRows, MarketState } from '../state/market-state.ts';
import { applyBlocks } from './apply-blocks.ts';
import { loadState } from './load-state.ts';

const TOKEN = buildFakeAddress('aaaa', 10);
const POOL = poolId(buildFakeAddress('dddd', 1));

test("a pool that is not stored yet is found among its token's", async (t) => {
  const store = await createSqliteStore({ file: ':memory:' });
  t.after(() => store.close());
  await store.market.transaction('devnet', (transaction) =>
    transaction.putTokens([buildToken({ token: TOKEN })]),
  );
  const adapter = new FakeAdapter(new FakeChain({ seed: 1, finalityDepth: 3, eventCountMax: 0 }));
  const source = { reader: store.market, adapter };
  const state = new MarketState(FAKE_ASSETS);
  const buildBlock = (block: number, ...events: MarketEvent[]) => [
    { header: buildHeader(block), events },
  ];
  const first = buildBlock(1, createPool(POOL, [TOKEN, FAKE_ASSETS.coin]));
  await loadState(state, source, first);
  applyBlocks(state, first, 1);
  const changes = state.takeChanges();
  assert.equal(state.tokens.get(TOKEN)?.basePools, null);
  await loadState(state, source, buildBlock(2, buildSwapEvent(POOL, [5n, -5n])));
  assert.deepEqual(state.tokens.get(TOKEN)?.basePools, [{ pool: POOL, createdBlock: 1 }]);
  state.noteStored(copyRows(changes));
  assert.equal(state.poolsToStore.size, 0);
});
