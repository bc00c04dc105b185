// Rows are loaded from the store, or from memory where the batch before is not stored yet.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { buildHeader, buildToken } from '../../../test/conformance/store-samples.ts';
import { FakeAdapter, FakeChain } from '../../../test/fakes/fake-chain.ts';
import { buildFakeAddress, FAKE_ASSETS } from '../../../test/fakes/fake-market.ts';
import { buildSwapEvent, createPool } from '../../../test/fakes/index-events.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { Address } from '../../model/ids.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { MarketReader } from '../../store/store.ts';
import { copyRows } from '../state/changed-rows.ts';
import { MarketState } from '../state/market-state.ts';
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

/** A pool, a transfer and a trade by the wallet, each batch loaded, applied and stored. */
async function createBalancesScene(t: TestContext) {
  const store = await createSqliteStore({ file: ':memory:' });
  t.after(() => store.close());
  const adapter = new FakeAdapter(new FakeChain({ seed: 1, finalityDepth: 3, eventCountMax: 0 }));
  const limits = { tokenCountMax: 9, poolCountMax: 9, balanceCountMax: 0, positionBytesMax: 0 };
  const state = new MarketState(FAKE_ASSETS, limits);
  let reads = 0;
  const reader: MarketReader = Object.create(store.market, {
    readBalances: {
      value: (...args: Parameters<MarketReader['readBalances']>) => {
        reads += args[1].length;
        return store.market.readBalances(...args);
      },
    },
    readPositions: {
      value: (...args: Parameters<MarketReader['readPositions']>) => {
        reads += args[1].length;
        return store.market.readPositions(...args);
      },
    },
  });
  return {
    state,
    store,
    /** How many rows were looked for in the store. */
    async append(block: number, ...events: MarketEvent[]): Promise<number> {
      reads = 0;
      const blocks = [{ header: buildHeader(block), events }];
      await loadState(state, { reader, adapter }, blocks);
      applyBlocks(state, blocks, block);
      const rows = copyRows(state.takeChanges());
      await store.market.transaction('devnet', async (transaction) => {
        await transaction.putTokens(rows.tokens);
        await transaction.putPools(rows.pools);
        await transaction.putBalances(rows.balances);
        await transaction.addBalances(rows.addedBalances);
        await transaction.putPositions(rows.positions);
        await transaction.addPositions(rows.addedPositions);
      });
      state.noteStored(rows);
      return reads;
    },
  };
}

test('balances and positions are read unless all of their token are in memory', async (t) => {
  const scene = await createBalancesScene(t);
  const [ann, bob] = [buildFakeAddress('eeee', 1), buildFakeAddress('eeee', 2)];
  const give = (from: Address | null, to: Address, amountRaw: bigint): MarketEvent => {
    return { kind: 'transfer', token: TOKEN, from, to, amountRaw };
  };
  const trade = { ...buildSwapEvent(POOL, [5n, -5n]), wallet: bob };
  const created = createPool(POOL, [TOKEN, FAKE_ASSETS.coin]);
  assert.equal(await scene.append(1, created, give(null, ann, 9n)), 0);
  // A new owner, who trades for the first time, and a balance that comes and goes.
  assert.equal(await scene.append(2, give(ann, bob, 4n), trade), 0);
  scene.state.trim();
  // Neither the two balances nor the position are known to be all.
  assert.equal(await scene.append(3, give(ann, bob, 5n), trade), 3);
  const [left] = await scene.store.market.readBalances('devnet', [{ token: TOKEN, owner: bob }]);
  assert.equal(left?.amountRaw, 9n);
  assert.deepEqual(
    await scene.store.market.readBalances('devnet', [{ token: TOKEN, owner: ann }]),
    [],
  );
  const [position] = await scene.store.market.readPositions('devnet', [
    { token: TOKEN, wallet: bob },
  ]);
  assert.equal(
    position?.periods.reduce((sum, { buys, sells }) => sum + buys + sells, 0),
    2,
  );
});
