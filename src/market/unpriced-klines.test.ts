// An hour whose only trades set no price shows the last close, with its volume and a mark.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFakeAddress, COIN, FAKE_ASSETS } from '../../test/fakes/fake-market.ts';
import { buildSwapEvent, createPool } from '../../test/fakes/index-events.ts';
import { setReserves } from '../../test/fakes/pool-events.ts';
import { createMarketScene } from '../../test/market-scene.ts';
import { poolId } from '../../test/test-ids.ts';
import { CandleReader } from './read-candles.ts';
import { KlineSeries } from './stream/read-missed.ts';

const E18 = 10n ** 18n;
const HOUR_MS = 3_600_000;
const WETH = [...FAKE_ASSETS.native].find((asset) => asset !== COIN)!;
const USDC = [...FAKE_ASSETS.stable][0]!;
const TOKEN = buildFakeAddress('aaaa', 10);
const ANCHOR = FAKE_ASSETS.anchorPools[1]!;
const POOL = poolId(buildFakeAddress('dddd', 1));

test('candles always have prices', async (t) => {
  const scene = await createMarketScene(t, {
    ...{ engine: 'sqlite', seed: 1, finalityDepth: 3, blocks: 0 },
    ...{ blockMs: HOUR_MS, eventCountMax: 0 },
  });
  const { chain } = scene;
  chain.extend(1, [
    createPool(ANCHOR, [WETH, USDC]),
    setReserves(ANCHOR, 2_000_000n * 10n ** 6n, 1000n * E18),
    createPool(POOL, [TOKEN, WETH]),
  ]);
  const trade = (amounts: readonly [bigint, bigint]) =>
    chain.extend(1, [buildSwapEvent(POOL, amounts)]);
  const dust = [-1000n, 5000n] as const;
  trade([-E18, 0n]); // no price at all: nothing to show yet
  trade([-E18, 2n * E18]);
  trade(dust);
  trade([-E18, 3n * E18]);
  trade(dust);
  await scene.settle();
  const asked = { chain: 'devnet', mint: TOKEN, interval: '1h' };
  const { json } = await scene.ask('getKlines', asked);
  const show = ({ open, close, trades, filled }: (typeof json.klines)[number]) =>
    [open, close, trades, filled] as const;
  const expected = [
    ['4000', '4000', 1, false],
    ['4000', '4000', 1, true],
    ['6000', '6000', 1, false],
    ['6000', '6000', 1, true],
  ];
  assert.deepEqual(json.klines.map(show), expected);
  // The close before a page comes from before the page.
  const { json: last } = await scene.ask('getKlines', { ...asked, limit: 1 });
  assert.deepEqual(last.klines.map(show), [expected[3]]);
  const { json: all } = await scene.ask('getKlines', { ...asked, outliers: 'include' });
  assert.ok(all.klines.every(({ filled }: { filled: boolean }) => !filled));

  const store = scene.store.market;
  const series = { token: TOKEN, pool: null, interval: '1h' } as const;
  const reader = new CandleReader(store, 'devnet', series, {});
  const page = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, end: 'last', limit: 2 } as const;
  const open = await reader.readCarried(page);
  const [first = assert.fail()] = open;
  const live = new KlineSeries(series, {
    ...{ open, lastEndMs: null, before: first.before },
  });
  // The first set a price, which the second is shown at.
  const ended = live.passTime(Number.MAX_SAFE_INTEGER);
  assert.equal(ended.at(-1)?.before.usdClean, '6000');
});
