// Amounts above the capacity of all pools are rejected without a search, and only those.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { createRandomMarket } from '../../../test/fakes/random-pools.ts';
import { TRADE_COSTS } from '../../../test/fakes/trade-costs.ts';
import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import { ConstantProductPool } from '../../amm/constant-product/constant-product-pool.ts';
import { TickList } from '../../amm/tick-list.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { searchTrade } from './find-trade-route.ts';
import { findBestRoute, findRouteIn, planField } from './route.ts';
import { computeAmountInMax, mayTake } from './route-parts.ts';
import { SearchWork } from './search-work.ts';
import { planTrade } from './trade-plan.ts';

const WETH = buildFakeAddress('ee', 1);
const TOKEN = buildFakeAddress('aa', 1);
const OTHER = buildFakeAddress('aa', 2);

/** Liquidity between two ticks around a price of 1 only. */
function createRange(number: number, reach: number): GraphPool {
  const ticks = new TickList([
    { tick: -reach, liquidityNet: DEEP },
    { tick: reach, liquidityNet: -DEEP },
  ]);
  const fees = { zeroForOne: 3000, oneForZero: 3000 };
  const state = { sqrtPriceX96: 2n ** 96n, liquidity: DEEP, tick: 0 };
  const curve = new ConcentratedPool(state, { bitmapSpacing: 60, fees, ticks });
  const more = { venue: 'uniswap-v3', tickSpacing: 60, curve };
  return createPair(number, [TOKEN, WETH], [DEEP, DEEP], more);
}

function createGraph(pools: readonly GraphPool[]): PoolGraph {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  for (const pool of pools) graph.set(pool);
  return graph;
}

function search(graph: PoolGraph, amountIn: bigint) {
  const work = new SearchWork();
  const plan = planTrade({
    ...{ graph, safetyCache: new SafetyCache(), trusted: new Set([WETH]) },
    size: { fixed: 'input', amountRaw: amountIn, reserveBps: 0 },
    ...{ isPaused: () => false, tokenIn: WETH, tokenOut: TOKEN, outPerUnit: null },
    costs: TRADE_COSTS,
  });
  return { found: searchTrade(plan, work), evaluations: work.count };
}

describe('an amount above the capacity of all pools', () => {
  const graph = createGraph([
    createPair(1, [TOKEN, WETH], [DEEP, DEEP]),
    createPair(2, [TOKEN, OTHER], [DEEP, DEEP]),
    createPair(3, [OTHER, WETH], [DEEP, DEEP]),
    createRange(4, 600),
  ]);

  it('is refused after a few evaluations, whatever its size', () => {
    // The minimum work of a search over these pools.
    const { evaluations: ordinary, found } = search(graph, DEEP / 100n);
    assert.equal(found.kind, 'found');
    for (const amountIn of [120n, 128n, 160n, 192n, 224n, 255n].map((bits) => 1n << bits)) {
      const { found: none, evaluations } = search(graph, amountIn);
      assert.deepEqual(none, { kind: 'none', reason: 'tooMuch' });
      assert.ok(evaluations < ordinary, `${evaluations} of ${ordinary} for ${amountIn}`);
    }
    assert.deepEqual(search(graph, (1n << 256n) - 1n).found, { kind: 'none', reason: 'tooMuch' });
  });

  it('is refused by the route search without a single evaluation', () => {
    const plan = planField(graph, { tokenIn: WETH, tokenOut: TOKEN }, {});
    for (let bits = 120n; bits < 256n; bits += 8n) {
      const work = new SearchWork();
      assert.equal(findRouteIn(plan, 1n << bits, { work }), null);
      assert.equal(work.count, 0);
    }
  });

  it('is distinguished from a missing market', () => {
    const apart = createGraph([createPair(1, [OTHER, WETH], [DEEP, DEEP])]);
    assert.deepEqual(search(apart, 1n << 200n).found, { kind: 'none', reason: 'noMarket' });
  });
});

describe('the upper bound of the input', () => {
  it('is never less than what every pool can take, in random markets', () => {
    let concentrated = 0;
    for (let seed = 1; seed <= 30; seed += 1) {
      const shape = { poolCount: 12, assetCount: 2, noise: 0.001, concentratedShare: 0.7 };
      const { pools, assets } = createRandomMarket(createRandom(seed), shape);
      const [tokenIn, tokenOut] = [assets[0]!, assets[1]!];
      let all = 0n;
      for (const pool of pools) {
        const zeroForOne = pool.token0 === tokenIn;
        const { curve } = pool;
        if (curve instanceof ConcentratedPool) concentrated += 1;
        // Asked for more than there is, the ladder takes the pool's maximum.
        const most =
          curve instanceof ConstantProductPool
            ? 2n ** 112n - 1n - (zeroForOne ? curve.reserve0 : curve.reserve1)
            : curve.swapIn(zeroForOne, 1n << 300n).amountIn;
        assert.equal(curve.swapIn(zeroForOne, most).isFilled, true);
        assert.equal(curve.swapIn(zeroForOne, most + 1n).isFilled, false);
        const alone = planField(createGraph([pool]), { tokenIn, tokenOut }, {});
        assert.ok(mayTake(alone, most), `${pool.pool} takes ${most}`);
        assert.ok((computeAmountInMax(alone) ?? 0n) >= most);
        assert.equal(mayTake(alone, most * 2n + 100_000n), false);
        all += most;
      }
      assert.ok(mayTake(planField(createGraph(pools), { tokenIn, tokenOut }, {}), all));
    }
    assert.ok(concentrated > 100, `${concentrated} pools with ticks`);
  });

  it('holds for liquidity of a few units, where rounding dominates', () => {
    const ticks = new TickList([
      { tick: -887_272, liquidityNet: 3n },
      { tick: 887_272, liquidityNet: -3n },
    ]);
    const fees = { zeroForOne: 100, oneForZero: 100 };
    const state = { sqrtPriceX96: 2n ** 96n, liquidity: 3n, tick: 0 };
    const curve = new ConcentratedPool(state, { bitmapSpacing: 1, fees, ticks });
    const pool = { ...createRange(1, 600), tickSpacing: 1, curve };
    for (const [tokenIn, tokenOut] of [
      [TOKEN, WETH],
      [WETH, TOKEN],
    ] as const) {
      const most = curve.swapIn(tokenIn === TOKEN, 1n << 300n).amountIn;
      const plan = planField(createGraph([pool]), { tokenIn, tokenOut }, {});
      assert.ok(mayTake(plan, most));
    }
  });

  it('lets an amount through that only a pool over the whole range can take', () => {
    const graph = createGraph([createRange(1, 887_220)]);
    const request = { tokenIn: WETH, tokenOut: TOKEN, amountIn: 1n << 125n };
    assert.ok(findBestRoute(graph, request) !== null);
  });
});
