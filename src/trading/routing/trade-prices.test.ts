// Compares prices before and during a trade, and its impact, with figures computed by hand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair } from '../../../test/fakes/fake-pair.ts';
import { createRandomMarket } from '../../../test/fakes/random-pools.ts';
import { ConstantProductPool } from '../../amm/constant-product/constant-product-pool.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import { listFees } from '../quote/priced-trade.ts';
import { findBestRoute } from './route.ts';
import { computeExecutionPrice, computePriceImpactBps, computeSpotPrice } from './trade-prices.ts';

const WETH = buildFakeAddress('ee', 1);
const TOKEN = buildFakeAddress('aa', 1);
const E18 = 10n ** 18n;

/** 500 units of a token with 6 decimals against 2 coins: 0.004 coins each. */
function createGraph(feePips: number): PoolGraph {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  const curve = new ConstantProductPool({ reserve0: 500_000_000n, reserve1: 2n * E18 }, feePips);
  graph.set(createPair(1, [TOKEN, WETH], undefined, { feePips, curve }));
  return graph;
}

const BUY = { side: 'buy', decimalsIn: 18, decimalsOut: 6 } as const;
const SELL = { side: 'sell', decimalsIn: 6, decimalsOut: 18 } as const;

test('the spot price is the same on both sides, without fees', () => {
  const graph = createGraph(3000);
  const buy = findBestRoute(graph, { tokenIn: WETH, tokenOut: TOKEN, amountIn: E18 / 50n });
  const sell = findBestRoute(graph, { tokenIn: TOKEN, tokenOut: WETH, amountIn: 5_000_000n });
  assert.ok(buy !== null && sell !== null);
  assert.equal(computeSpotPrice(buy, BUY), '0.004');
  assert.equal(computeSpotPrice(sell, SELL), '0.004');
});

test('the impact is the effect of the amount, without the fee', () => {
  // A fortieth of the reserve moves the price of what is bought by 1/41.
  const free = findBestRoute(createGraph(0), {
    tokenIn: WETH,
    tokenOut: TOKEN,
    amountIn: E18 / 20n,
  });
  assert.ok(free !== null);
  assert.equal(computePriceImpactBps(free), Math.round(10_000 / 41));
  const dear = findBestRoute(createGraph(10_000), {
    tokenIn: WETH,
    tokenOut: TOKEN,
    amountIn: E18 / 20n,
  });
  assert.ok(dear !== null);
  assert.equal(computePriceImpactBps(dear), Math.round((10_000 * 0.99) / 40.99));
});

test('the execution price includes everything', () => {
  assert.equal(computeExecutionPrice({ in: E18, out: 250_000_000n }, BUY), '0.004');
  assert.equal(computeExecutionPrice({ in: 250_000_000n, out: E18 }, SELL), '0.004');
  assert.equal(computeExecutionPrice({ in: E18, out: 1n }, { ...BUY, decimalsOut: null }), null);
});

test('on any market a trade gets no more than the spot price, and the fees add up', () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const shape = { poolCount: 40, assetCount: 6, noise: 0.002, concentratedShare: 0.6 };
    const market = createRandomMarket(createRandom(seed), shape);
    const [tokenIn, tokenOut] = market.assets;
    assert.ok(tokenIn !== undefined && tokenOut !== undefined);
    for (const worth of [10, 1000, 100_000]) {
      const amountIn = BigInt(Math.floor(worth / (market.worths[0] ?? 1)));
      const route = findBestRoute(market.graph, { tokenIn, tokenOut, amountIn });
      if (route === null) continue;
      const units = { side: 'sell', decimalsIn: 18, decimalsOut: 18 } as const;
      const spot = Number(computeSpotPrice(route, units));
      const got = Number(computeExecutionPrice({ in: amountIn, out: route.amountOut }, units));
      assert.ok(got <= spot, `seed ${seed} worth ${worth}: ${got} of ${spot}`);
      const impact = computePriceImpactBps(route);
      assert.ok(impact >= 0 && impact <= 10_000);
      const hops = route.swapPaths.flatMap((swapPath) => swapPath.hops);
      const taken = hops.reduce((sum, hop) => sum + hop.feeAmount, 0n);
      const fees = listFees(route, { in: null, out: null });
      assert.equal(
        fees.reduce((sum, fee) => sum + fee.amountRaw, 0n),
        taken,
      );
      for (const { bps } of fees) assert.ok(bps >= 0 && bps <= 101, `${bps}`);
    }
  }
});
