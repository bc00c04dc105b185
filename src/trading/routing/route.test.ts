// Routes against everything tried out on small markets, and against their own prices on large ones.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../../test/fakes/fake-chain.ts';
import { toFakeAddress } from '../../../test/fakes/fake-market.ts';
import {
  createRandomMarket,
  type RandomMarket,
  toGasCost,
} from '../../../test/fakes/random-pools.ts';
import {
  executeLegs,
  findAllPaths,
  findBestByTrying,
  findBestPathByTrying,
} from '../../../test/oracles/exhaustive-routes.ts';
import { findRouteBound } from '../../../test/oracles/route-bound.ts';
import { ConstantProductPool } from '../../amm/constant-product.ts';
import type { SwapPool } from '../../amm/swap-pool.ts';
import { ZERO_ADDRESS } from '../../model/market-event.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { QUOTE_LIMITS } from './find-trade-route.ts';
import { type BestRoute, findBestRoute, type RouteOptions } from './route.ts';
import { createTransactionRoom } from './transaction-room.ts';

function toAmount(market: RandomMarket, worth: number): bigint {
  return BigInt(Math.max(1, Math.floor(worth / (market.worths[0] ?? 1))));
}

function route(market: RandomMarket, amountIn: bigint, options?: RouteOptions): BestRoute | null {
  const [tokenIn = '', tokenOut = ''] = market.assets;
  return findBestRoute(market.graph, { tokenIn, tokenOut, amountIn }, options);
}

function toPaths(market: RandomMarket) {
  const [from = '', to = ''] = market.assets;
  return findAllPaths(market.pools, { from, to, hopCountMax: 3 });
}

/** A route is what it says it is: it spends all, hangs together, and pays that when executed. */
function assertSound(found: BestRoute, amountIn: bigint): void {
  assert.equal(found.amountIn, amountIn);
  for (const leg of found.legs) {
    let amount = leg.amountIn;
    for (const hop of leg.hops) {
      assert.equal(hop.amountIn, amount);
      amount = hop.amountOut;
    }
    assert.equal(amount, leg.amountOut);
  }
  const legs = found.legs.map(({ hops, amountIn: part }) => ({ path: hops, amountIn: part }));
  assert.equal(executeLegs(legs)?.amountOut, found.amountOut);
}

describe('findBestRoute on small markets', () => {
  // The very search that quotes make, and the same where there is room for few legs, which real
  // transactions come near only in markets too large to try everything.
  for (const [name, legCountMax, hopCostPpm] of [
    ['as quotes ask', 3, 0],
    ['with room for one leg', 1, 0],
    ['with room for two legs', 2, 0],
    ['net of gas that is cheap', 3, 20],
    ['net of gas that matters', 3, 500],
    ['net of gas that is dear', 3, 10_000],
  ] as const) {
    it(`finds at least 99.9 % of what trying everything finds, ${name}`, () => {
      let divided = 0;
      for (let seed = 1; seed <= 24; seed += 1) {
        const shape = { poolCount: 5, assetCount: 4, noise: 0.01, concentratedShare: 0.6 };
        const market = createRandomMarket(createRandom(seed), shape);
        const paths = toPaths(market);
        if (paths.length === 0 || paths.length > 6) continue;
        for (const worth of [300, 30_000]) {
          const amountIn = toAmount(market, worth);
          const hopCost = (findBestPathByTrying(paths, amountIn) * BigInt(hopCostPpm)) / 1_000_000n;
          const cost = (path: readonly unknown[]) => hopCost * BigInt(path.length);
          const tried = findBestByTrying(paths, { amountIn, parts: 8, legCountMax, cost });
          const limits = { ...QUOTE_LIMITS, ...(legCountMax < 3 ? { legCountMax } : {}) };
          const options = hopCostPpm === 0 ? limits : { ...limits, cost };
          const found = route(market, amountIn, options);
          if (tried === 0n) continue;
          assert.ok(found !== null, `seed ${seed} worth ${worth}: no route`);
          assertSound(found, amountIn);
          const share = Number(((found.amountOut - found.cost) * 1_000_000n) / tried) / 1e6;
          assert.ok(share >= 0.999, `seed ${seed} worth ${worth}: ${share} of ${tried}`);
          if (found.legs.length > 1) divided += 1;
        }
      }
      if (legCountMax > 1 && hopCostPpm < 10_000) assert.ok(divided > 10, `${divided} divided`);
    });
  }

  it('one leg alone is the best single route to the unit, from dust to draining', () => {
    let compared = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const market = createRandomMarket(createRandom(seed), {
        poolCount: 14,
        assetCount: 5,
        noise: 0.004,
        concentratedShare: 0.7,
      });
      const paths = toPaths(market);
      for (const worth of [0, 1e-6, 50, 5000, 500_000, 5e7]) {
        const amountIn = toAmount(market, worth);
        const tried = findBestPathByTrying(paths, amountIn);
        const single = route(market, amountIn, { legCountMax: 1 });
        assert.equal(single?.amountOut ?? 0n, tried, `seed ${seed} worth ${worth}`);
        const divided = route(market, amountIn);
        assert.ok((divided?.amountOut ?? 0n) >= tried, `seed ${seed} worth ${worth}, divided`);
        if (divided !== null) assertSound(divided, amountIn);
        compared += 1;
      }
    }
    assert.equal(compared, 360);
  });

  it('respects the number of hops', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const market = createRandomMarket(createRandom(seed), {
        poolCount: 14,
        assetCount: 5,
        noise: 0.02,
        concentratedShare: 0.5,
      });
      const amountIn = toAmount(market, 10_000);
      const outs = ([1, 2, 3] as const).map((hopCountMax) => {
        const found = route(market, amountIn, { hopCountMax });
        for (const { hops } of found?.legs ?? []) assert.ok(hops.length <= hopCountMax);
        return found?.amountOut ?? 0n;
      });
      assert.ok((outs[0] ?? 0n) <= (outs[1] ?? 0n) && (outs[1] ?? 0n) <= (outs[2] ?? 0n));
    }
  });
});

describe('findBestRoute on 200 pools', () => {
  /** What a little more would buy along a path, with the pools as the route leaves them. */
  function toRate(
    path: readonly { readonly pool: GraphPool; readonly zeroForOne: boolean }[],
    probe: { readonly moved: ReadonlyMap<string, SwapPool>; readonly amount: bigint },
  ): number {
    let amount = probe.amount;
    for (const { pool, zeroForOne } of path) {
      if (amount === 0n) return 0;
      const curve = probe.moved.get(pool.pool) ?? pool.curve;
      const swap = curve.swapIn(zeroForOne, amount);
      amount = swap.isFilled ? swap.amountOut : 0n;
    }
    return Number(amount) / Number(probe.amount);
  }

  for (const assetCount of [4, 7, 12, 30]) {
    it(`leaves no better price anywhere among ${assetCount} assets`, () => {
      for (let seed = 1; seed <= 3; seed += 1) {
        const shape = { poolCount: 200, assetCount, noise: 0.0005, concentratedShare: 0.6 };
        const market = createRandomMarket(createRandom(seed * 100 + assetCount), shape);
        const amountIn = toAmount(market, 40_000);
        const found = route(market, amountIn) ?? assert.fail('no route');
        assertSound(found, amountIn);
        const legs = found.legs.map((leg) => ({ path: leg.hops, amountIn: leg.amountIn }));
        const { moved } = executeLegs(legs) ?? assert.fail();
        const probe = { moved, amount: amountIn / 100_000n };
        const best = toPaths(market).reduce((most, path) => Math.max(most, toRate(path, probe)), 0);
        // What is paid is concave in how the input is divided, so that the prices at the end bound
        // what any other division could pay more.
        const spent = legs.reduce((sum, leg) => {
          const less = legs.map((one) =>
            one === leg ? { ...one, amountIn: one.amountIn - one.amountIn / 1000n } : one,
          );
          const lost = found.amountOut - (executeLegs(less)?.amountOut ?? 0n);
          return sum + Number(lost) * 1000;
        }, 0);
        const missed = (best * Number(amountIn) - spent) / Number(found.amountOut);
        assert.ok(missed < 0.001, `seed ${seed}: ${missed}`);
      }
    });
  }

  it('gives the same answer whatever the order in which pools came', () => {
    const shape = { poolCount: 200, assetCount: 12, noise: 0.002, concentratedShare: 0.6 };
    const market = createRandomMarket(createRandom(5), shape);
    const backwards = new PoolGraph({ wrapped: null });
    for (const pool of market.pools.toReversed()) backwards.set(pool);
    for (const worth of [10, 10_000, 1_000_000]) {
      const amountIn = toAmount(market, worth);
      const found = route(market, amountIn);
      assert.deepEqual(route(market, amountIn), found);
      assert.deepEqual(route({ ...market, graph: backwards }, amountIn), found);
    }
  });
});

describe('findBestRoute as quotes ask', () => {
  function createMarket(seed: number, poolCount: number): RandomMarket {
    const assetCount = [4, 7, 12, 30][seed % 4] ?? 4;
    const noise = [0.0005, 0.004, 0.02][seed % 3] ?? 0;
    const concentratedShare = [0.3, 0.6, 0.95][(seed >> 1) % 3] ?? 0;
    const shape = { poolCount, assetCount, noise, concentratedShare };
    return createRandomMarket(createRandom(seed * 1000 + poolCount), shape);
  }

  function assertFits({ legs }: BestRoute): void {
    const hops = legs.flatMap((leg) => leg.hops);
    const room = createTransactionRoom(hops.reduce((sum, hop) => sum + hop.ticksCrossed, 0));
    for (const leg of legs) assert.ok(room.take(leg.hops), `${legs.length} legs are too many`);
  }

  /**
   * The bound is for any number of legs in any order, more than an exhaustive search could find. Of
   * the last two sizes, a tenth and a third of all liquidity, the best division takes 40 million
   * gas; what a transaction has room for is still near it.
   */
  const WORTHS = [
    [1, 0.999],
    [100, 0.999],
    [10_000, 0.999],
    [100_000, 0.999],
    [300_000, 0.999],
    [1_000_000, 0.999],
    [3_000_000, 0.99],
    [10_000_000, 0.98],
  ] as const;

  /** From here on gas is so little that the bound, which counts each pool once, is tight. */
  const NET_WORTH_MIN = 10_000;
  const NET_WORTH_MAX = 1_000_000;

  for (const poolCount of [20, 60, 200]) {
    it(`finds at least 99.9 % of what any division could pay on ${poolCount} pools`, () => {
      let compared = 0;
      for (let seed = 1; seed <= 6; seed += 1) {
        const market = createMarket(seed, poolCount);
        const [from = '', to = ''] = market.assets;
        const paths = toPaths(market);
        const cost = toGasCost(market);
        for (const [worth, least] of WORTHS) {
          const amountIn = toAmount(market, worth);
          const found = route(market, amountIn, QUOTE_LIMITS);
          const name = `seed ${seed} worth ${worth}`;
          if (found === null) continue;
          assertSound(found, amountIn);
          assertFits(found);
          assert.ok(found.amountOut >= findBestPathByTrying(paths, amountIn), `${name}, single`);
          const net = route(market, amountIn, { ...QUOTE_LIMITS, cost }) ?? assert.fail(name);
          assertSound(net, amountIn);
          assertFits(net);
          const one = route(market, amountIn, { legCountMax: 1, cost });
          const oneNet = one === null ? 0n : one.amountOut - one.cost;
          assert.ok(net.amountOut - net.cost >= oneNet, `${name}, net`);
          const bound = findRouteBound(market.pools, { from, to, amountIn });
          // Who drains a market by half of its worth and more asks for no price.
          if (bound.most * (market.worths[1] ?? 1) < worth / 2) continue;
          const share = Number(found.amountOut) / bound.most;
          assert.ok(share >= least, `${name}: ${share}`);
          compared += 1;
          if (worth < NET_WORTH_MIN || worth > NET_WORTH_MAX) continue;
          const mostNet = bound.toMostNet((pool) => Number(cost([{ pool }])));
          const netShare = Number(net.amountOut - net.cost) / mostNet;
          assert.ok(netShare >= 0.999, `${name}: ${netShare} net`);
        }
      }
      assert.ok(compared >= 20, `${compared}`);
    });
  }
});

const WETH = toFakeAddress('ee', 1);
const TOKEN = toFakeAddress('aa', 2);
const OTHER = toFakeAddress('aa', 3);
const DEEP = 10n ** 24n;

function createPair(
  number: number,
  tokens: readonly [string, string],
  reserves: readonly [bigint, bigint] = [DEEP, DEEP],
  more: Partial<GraphPool> = {},
): GraphPool {
  const [reserve0, reserve1] = reserves;
  return {
    pool: toFakeAddress('dd', number),
    venue: 'uniswap-v2',
    token0: tokens[0],
    token1: tokens[1],
    feePips: 3000,
    tickSpacing: null,
    hooks: null,
    inexact: null,
    curve: new ConstantProductPool({ reserve0, reserve1 }, 3000),
    ...more,
  };
}

function createGraph(pools: readonly GraphPool[], wrapped: string | null = WETH): PoolGraph {
  const graph = new PoolGraph({ wrapped });
  for (const pool of pools) graph.set(pool);
  return graph;
}

describe('findBestRoute', () => {
  it('takes native and wrapped coin for one, and names each pool own token', () => {
    const graph = createGraph([
      createPair(1, [ZERO_ADDRESS, TOKEN]),
      createPair(2, [TOKEN, WETH]),
      createPair(3, [ZERO_ADDRESS, WETH]),
    ]);
    for (const tokenIn of [ZERO_ADDRESS, WETH]) {
      const request = { tokenIn, tokenOut: TOKEN, amountIn: 10n ** 22n };
      const found = findBestRoute(graph, request) ?? assert.fail();
      assert.deepEqual(found.legs.map(({ hops }) => hops[0]?.tokenIn).sort(), [ZERO_ADDRESS, WETH]);
    }
  });

  it('goes through the wrapped coin from a native pool', () => {
    const graph = createGraph([createPair(1, [ZERO_ADDRESS, TOKEN]), createPair(2, [OTHER, WETH])]);
    const request = { tokenIn: TOKEN, tokenOut: OTHER, amountIn: 10n ** 20n };
    const found = findBestRoute(graph, request) ?? assert.fail();
    const [first, second] = found.legs[0]?.hops ?? [];
    assert.deepEqual([first?.tokenOut, second?.tokenIn], [ZERO_ADDRESS, WETH]);
    const apart = createGraph([...graph.pools()], null);
    assert.equal(findBestRoute(apart, request), null);
  });

  it('leaves pools out that cannot be promised, unless asked', () => {
    const graph = createGraph([
      createPair(1, [TOKEN, WETH], [DEEP, DEEP], { inexact: 'hook' }),
      createPair(2, [TOKEN, WETH], [DEEP / 100n, DEEP / 100n]),
    ]);
    const request = { tokenIn: WETH, tokenOut: TOKEN, amountIn: 10n ** 21n };
    const sure = findBestRoute(graph, request) ?? assert.fail();
    assert.deepEqual([sure.exact, sure.legs.length], [true, 1]);
    const all = findBestRoute(graph, request, { withInexact: true }) ?? assert.fail();
    assert.equal(all.exact, false);
    assert.ok(all.amountOut > sure.amountOut);
  });

  it('divides only where that pays for the further leg', () => {
    const pools = [1, 2, 3, 4].map((number) =>
      createPair(number, [TOKEN, WETH], [DEEP / BigInt(number), DEEP / BigInt(number)]),
    );
    const graph = createGraph(pools);
    const request = { tokenIn: WETH, tokenOut: TOKEN, amountIn: 10n ** 22n };
    const free = findBestRoute(graph, request) ?? assert.fail();
    assert.equal(free.legs.length, 4);
    const single = findBestRoute(graph, request, { legCountMax: 1 }) ?? assert.fail();
    const gain = free.amountOut - single.amountOut;
    const dear = findBestRoute(graph, request, { cost: () => gain }) ?? assert.fail();
    assert.equal(dear.legs.length, 1);
    const cost = () => gain / 6n;
    const fair = findBestRoute(graph, request, { cost }) ?? assert.fail();
    assert.equal(fair.cost, BigInt(fair.legs.length) * cost());
    assert.ok(fair.legs.length < 4);
    for (const legCountMax of [1, 2, 3, 4]) {
      const other = findBestRoute(graph, request, { legCountMax }) ?? assert.fail();
      const net = other.amountOut - BigInt(other.legs.length) * cost();
      assert.ok(fair.amountOut - fair.cost >= net, `${legCountMax} legs`);
    }
  });

  it('reckons two routes through one pool one after the other', () => {
    const graph = createGraph([
      createPair(1, [TOKEN, WETH]),
      createPair(2, [WETH, OTHER], [DEEP / 20n, DEEP / 20n]),
      createPair(3, [WETH, OTHER], [DEEP / 20n, DEEP / 20n]),
    ]);
    const request = { tokenIn: TOKEN, tokenOut: OTHER, amountIn: 10n ** 22n };
    const found = findBestRoute(graph, request) ?? assert.fail();
    assert.equal(found.legs.length, 2);
    assertSound(found, request.amountIn);
    const [first, second] = found.legs.map(({ hops }) => hops[0] ?? assert.fail());
    assert.equal(first?.pool, second?.pool);
    const alone = second?.pool.curve.swapIn(true, second.amountIn).amountOut ?? 0n;
    assert.ok((second?.amountOut ?? 0n) < alone);
  });

  it('answers null where nothing can take the whole input, or nothing leads there', () => {
    const graph = createGraph([createPair(1, [TOKEN, WETH])]);
    const request = { tokenIn: WETH, tokenOut: TOKEN };
    assert.equal(findBestRoute(graph, { ...request, amountIn: 2n ** 112n }), null);
    assert.equal(findBestRoute(graph, { ...request, amountIn: 1n }), null);
    assert.equal(findBestRoute(graph, { ...request, tokenOut: OTHER, amountIn: DEEP }), null);
  });

  it('refuses what is no request', () => {
    const graph = createGraph([]);
    const request = { tokenIn: WETH, tokenOut: ZERO_ADDRESS, amountIn: 1n };
    assert.throws(() => findBestRoute(graph, request), RangeError);
    assert.throws(() => findBestRoute(graph, { ...request, tokenOut: TOKEN, amountIn: 0n }));
  });
});
