// Swaps that moved nothing change their pool, and are no trades.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress, COIN, FAKE_ASSETS } from '../../../test/fakes/fake-market.ts';
import { buildSwapEvent, createRange, indexEvents } from '../../../test/fakes/index-events.ts';
import { buildSwapped, initialize } from '../../../test/fakes/pool-events.ts';
import { poolId } from '../../../test/test-ids.ts';

const WETH = [...FAKE_ASSETS.native].find((asset) => asset !== COIN)!;
const TOKEN = buildFakeAddress('aaaa', 10);
const POOL = poolId(buildFakeAddress('dddd', 1));

describe('a swap that moved nothing', () => {
  it('is no trade, but changes the price of its pool; the next one keeps its index', async () => {
    const change = (sqrtPriceX96: bigint, tick: number) =>
      buildSwapped({ sqrtPriceX96, liquidity: 0n, tick }, 3000);
    const after = { sqrtPriceX96: 2n ** 95n, tick: -13_864 };
    const { trades, pools, tokens } = await indexEvents(
      [createRange(POOL, [TOKEN, WETH]), initialize(POOL, 0)],
      [
        buildSwapEvent(POOL, [0n, 0n], { change: change(after.sqrtPriceX96, after.tick) }),
        buildSwapEvent(POOL, [5n, 0n], { change: change(after.sqrtPriceX96, after.tick) }),
      ],
    );
    assert.equal(trades.length, 1);
    const [trade] = trades;
    assert.ok(trade);
    assert.deepEqual([trade.amountRaw, trade.quoteAmountRaw, trade.index], [5n, 0n, 1]);
    assert.equal(tokens.find(({ token }) => token === TOKEN)?.tradeCount, 1);
    const [pool] = pools;
    assert.ok(pool?.kind === 'concentrated');
    assert.equal(pool.state.sqrtPriceX96, after.sqrtPriceX96);
  });

  it('alone does not count as a swap of its pool', async () => {
    const { pools, trades, candles } = await indexEvents(
      [createRange(POOL, [TOKEN, WETH]), initialize(POOL, 0)],
      [buildSwapEvent(POOL, [0n, 0n])],
    );
    assert.deepEqual([pools[0]?.lastSwapAtMs, trades, candles], [null, [], []]);
  });
});
