// Quotes of an index that begins late, on a real node: pools of Curve that only their contracts
// compute are found by Curve's registry, and called once the token's history tells their volume.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestChain } from '../../../devnet/test-chain.ts';
import { type CurvePoolSpec, openCurvePools } from '../../../test/curve-scene.ts';
import { setUp } from '../../../test/root-hooks.ts';
import { startTradingScene, type TradingScene } from '../../../test/trading-scene.ts';

const WAIT_MAX_MS = 60_000;
/** Enough for the blocks before the index to be final. */
const BLOCKS = 70;
const ETHER = 10n ** 18n;
const CALLED: CurvePoolSpec = {
  kind: 'crypto',
  coins: { wire: 80_000_000n, usdc: 33_600_000n },
  traded: 10_000n,
};

let scene: TradingScene;

setUp(async (t) => {
  const prepare = (chain: TestChain) => openCurvePools(chain, { computed: [], called: [CALLED] });
  scene = await startTradingScene({ isLate: true, prepare });
  t.after(() => scene.stop());
});

test('they call pools that nobody traded in since', async () => {
  const { chain, indexer, store } = scene.devnet;
  const [mint, usdc] = [scene.mintOf('wire'), scene.mintOf('usdc')];
  // What both are worth is known by trades elsewhere.
  for (const token of ['wire', 'usdc']) {
    const trade = { token, venue: 'uniswap-v3', quote: 'weth' } as const;
    assert.equal((await chain.buy({ ...trade, amountInRaw: 10n ** 16n })).status, '0x1');
  }
  await scene.devnet.settle();
  assert.equal(await indexer.lookUp(mint), 'found');
  const rows = await store.readPoolsOfTokens('devnet', [mint]);
  const called = rows.filter(({ venue }) => venue === 'curve');
  assert.deepEqual(
    called.map(({ kind, token0, token1, lastSwapAtMs }) => [kind, token0, token1, lastSwapAtMs]),
    [['tradesOnly', mint, usdc, null]],
  );
  // Nothing is read of it.
  assert.equal(indexer.adoption()?.failed, 0);
  await chain.mine(BLOCKS);
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const jobs = await store.readBackfills('devnet', [mint]);
    if (jobs.find(({ kind }) => kind === 'trades')?.status === 'done') break;
    assert.ok(Date.now() < deadlineMs, JSON.stringify(jobs));
    await chain.mine();
    await delay(50);
  }
  await scene.settle();
  const amountInRaw = (600_000n * ETHER).toString();
  const quote = await scene.quote({ mint, quoteMint: usdc, side: 'sell', amountInRaw });
  const [hop = assert.fail()] = quote.route[0]?.hops ?? [];
  assert.deepEqual([hop.venue, quote.exact], ['curve', false]);
  assert.match(quote.warnings.map(({ message }) => message).join(), /\(called\)/);
});
