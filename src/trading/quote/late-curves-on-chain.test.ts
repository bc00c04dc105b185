// A coin of four.meme that an index meets late, on a real node: its curve is found by the
// launchpad's helper, and its trades by what the manager was sent and paid of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type CalledVenues, openCalledVenues, toCurve } from '../../../test/called-scene.ts';
import { setUp } from '../../../test/root-hooks.ts';
import { address } from '../../../test/test-ids.ts';
import { startTradingScene, type TradingScene } from '../../../test/trading-scene.ts';

const WAIT_MAX_MS = 60_000;
/** Enough for the blocks before the index to be final. */
const BLOCKS = 70;

let scene: TradingScene;
let venues: CalledVenues;

setUp(async (t) => {
  scene = await startTradingScene({
    isLate: true,
    prepare: async (chain) => {
      venues = await openCalledVenues(chain);
    },
  });
  t.after(() => scene.stop());
});

test('it has the trades from before, and no other of the same manager', async () => {
  const { chain, indexer, store } = scene.devnet;
  const coin = address(venues.coins[1]);
  const pool = toCurve(venues.coins[1]);
  await scene.devnet.settle();
  assert.equal(await indexer.lookUp(coin), 'found');
  const rows = await store.readPoolsOfTokens('devnet', [coin]);
  assert.deepEqual(
    rows.map((row) => [row.pool, row.venue, row.lastSwapAtMs]),
    [[pool, 'four-meme', null]],
  );
  await chain.mine(BLOCKS);
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const jobs = await store.readBackfills('devnet', [coin]);
    if (jobs.find(({ kind }) => kind === 'trades')?.status === 'done') break;
    assert.ok(Date.now() < deadlineMs, JSON.stringify(jobs));
    await chain.mine();
    await delay(50);
  }
  const { trades } = await store.readTradePage('devnet', {
    ...{ token: coin, pool: null, side: null, wallet: null, minUsd: null, after: null, limit: 10 },
    ...{ range: { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }, order: 'oldest' },
  });
  const [trade = assert.fail('no trade'), ...others] = trades;
  assert.deepEqual([trade.pool, trade.side, others], [pool, 'buy', []]);
  // What 2,000 dollars cost without the fee of a hundredth on top.
  assert.equal(trade.quoteAmountRaw, 1_980_198_018n);
});
