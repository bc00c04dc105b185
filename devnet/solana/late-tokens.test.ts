// Tokens and pools that no indexed block names are looked up when somebody asks for them: an index
// that begins late has the same pools as one of the whole chain.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  SYSTEM_PROGRAM,
  toSolanaAddress,
  WRAPPED_SOL,
} from '../../src/chains/solana/data/solana-ids.ts';
import type { Address } from '../../src/model/ids.ts';
import type { MarketStore } from '../../src/store/store.ts';
import {
  collect,
  followMarket,
  ManualMarket,
  SLUG,
  startMarketNode,
  verifyMarket,
} from '../../test/manual-market.ts';

const WAIT_MAX_MS = 30_000;

/** Blocks without a transaction, so that the late index sees none of the market. */
function rest(market: ManualMarket): void {
  for (let count = 0; count < 3; count += 1) market.seal();
}

async function startLate(t: TestContext) {
  const market = new ManualMarket();
  const coin = market.graduate();
  market.grow(6);
  rest(market);
  const full = await followMarket(t, market, { isAdopting: true });
  const startBlock = market.chain.head.slot;
  rest(market);
  const node = await startMarketNode(t, market);
  const late = await followMarket(t, market, { startBlock, rpcUrls: [node.url], isAdopting: true });
  await full.indexing.settle();
  const rows = await collect(full.store.market.scanTokens(SLUG));
  const isCoin = (token: Address) => token === SYSTEM_PROGRAM || token === WRAPPED_SOL;
  const tokens = rows.map(({ token }) => token).filter((token) => !isCoin(token));
  assert.ok(tokens.includes(toSolanaAddress(coin)));
  return { market, full, node, late, tokens };
}

async function readPools(store: MarketStore) {
  const pools = await collect(store.scanPools(SLUG));
  return pools
    .map(({ pool, kind, venue, token0, token1, feePips, state, complete }) => {
      return { pool, kind, venue, token0, token1, feePips, state, complete };
    })
    .sort((a, b) => (a.pool < b.pool ? -1 : 1));
}

/** Waits until every pool of the whole index is adopted, and the late one has the same. */
async function assertSamePools({ full, late }: Awaited<ReturnType<typeof startLate>>) {
  const deadline = Date.now() + WAIT_MAX_MS;
  for (;;) {
    await Promise.all([late.indexing.settle(), full.indexing.settle()]);
    const [found, wanted] = [
      await readPools(late.store.market),
      await readPools(full.store.market),
    ];
    const isSame = isDeepStrictEqual(found, wanted) && wanted.every(({ complete }) => complete);
    if (isSame || Date.now() > deadline) return assert.deepEqual(found, wanted);
    await sleep(20);
  }
}

test('a late index finds every token and pool of the market, and adopts them', async (t) => {
  const scene = await startLate(t);
  const { full, late, tokens } = scene;
  const lateStore = late.store.market;
  assert.deepEqual(await lateStore.readTokens(SLUG, tokens), []);
  for (const token of tokens) {
    assert.equal(await late.indexing.indexer.lookUp(token), 'found', token);
  }
  const toNames = async (store: MarketStore) =>
    (await store.readTokens(SLUG, tokens)).map(({ token, name, symbol, decimals }) => {
      return [token, name, symbol, decimals];
    });
  const names = await toNames(lateStore);
  assert.equal(names.length, tokens.length);
  assert.deepEqual(names, await toNames(full.store.market));
  await assertSamePools(scene);
  // What is traded from then on continues what was found.
  scene.market.grow(4);
  await assertSamePools(scene);
  const { differences } = await verifyMarket(late.store, late.indexing);
  assert.deepEqual(differences, []);
});

test('an account that is no mint is no token; a node that lists nothing still has tokens', async (t) => {
  const { market, late, node, tokens } = await startLate(t);
  const { indexer } = late.indexing;
  const pool = toSolanaAddress(market.scene.pools[0]?.pool ?? assert.fail());
  assert.equal(await indexer.lookUp(pool), 'noToken');
  node.misbehave(({ method }) =>
    method === 'getProgramAccounts' ? { do: 'error', code: -32601, message: 'no' } : null,
  );
  const [token] = tokens as [Address];
  assert.equal(await indexer.lookUp(token), 'found');
  assert.equal((await late.store.market.readTokens(SLUG, [token])).length, 1);
});
