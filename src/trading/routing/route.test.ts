// Compares routes with exhaustive search on small markets, and with a price bound on large ones.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import {
  createHopCost,
  createRandomMarket,
  type RandomMarket,
} from '../../../test/fakes/random-pools.ts';
import { QUOTE_LIMITS, TRANSACTION_ROOM } from '../../../test/fakes/trade-costs.ts';
import { computeCapacity } from '../../../test/oracles/compute-capacity.ts';
import {
  findAllPaths,
  findBestByTrying,
  findBestPathByTrying,
} from '../../../test/oracles/exhaustive-routes.ts';
import { findRouteBound, type RouteBound } from '../../../test/oracles/route-bound.ts';
import { assertSound } from '../../../test/oracles/route-soundness.ts';
import type { Address } from '../../model/ids.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { type BestRoute, findBestRoute, type RouteOptions } from './route.ts';
import type { RouteRoom } from './trade-cost.ts';

function pickAmount(market: RandomMarket, worth: number): bigint {
  return BigInt(Math.max(1, Math.floor(worth / (market.worths[0] ?? 1))));
}

function route(market: RandomMarket, amountIn: bigint, options?: RouteOptions): BestRoute | null {
  const [tokenIn, tokenOut] = market.assets;
  assert.ok(tokenIn !== undefined && tokenOut !== undefined);
  return findBestRoute(market.graph, { tokenIn, tokenOut, amountIn }, options);
}

/** Room for this many pools of any kind. */
function createRoomFor(poolCount: number): RouteRoom {
  return {
    computeShare: () => 1 / poolCount,
    hasBytesFor: (path) => path.length <= poolCount,
    computeUsed: (swapPaths) => swapPaths.flatMap(({ hops }) => hops).length / poolCount,
  };
}

function findPaths(market: RandomMarket) {
  const [from = '', to = ''] = market.assets;
  return findAllPaths(market.pools, { from, to, hopCountMax: 3 });
}

describe('findBestRoute on small markets', () => {
  // The same search as quotes, and with room for few pools, which real transactions reach only in
  // markets too large for exhaustive search.
  for (const [name, poolCountMax, hopCostPpm] of [
    ['as quotes ask', 99, 0],
    ['with room for two pools', 2, 0],
    ['with room for three pools', 3, 0],
    ['with room for four pools', 4, 0],
    ['net of gas that is cheap', 99, 20],
    ['net of gas that matters', 99, 500],
    ['net of gas that is dear', 99, 10_000],
  ] as const) {
    it(`finds at least 99.9 % of what trying everything finds, ${name}`, () => {
      let divided = 0;
      for (let seed = 1; seed <= 24; seed += 1) {
        const shape = { poolCount: 5, assetCount: 4, noise: 0.01, concentratedShare: 0.6 };
        const market = createRandomMarket(createRandom(seed), shape);
        const paths = findPaths(market);
        if (paths.length === 0 || paths.length > 6) continue;
        for (const worth of [300, 30_000]) {
          const amountIn = pickAmount(market, worth);
          const hopCost = (findBestPathByTrying(paths, amountIn) * BigInt(hopCostPpm)) / 1_000_000n;
          const cost = (path: readonly unknown[]) => hopCost * BigInt(path.length);
          const search = { amountIn, parts: 8, legCountMax: 3, poolCountMax, cost };
          const tried = findBestByTrying(paths, search);
          const limits = poolCountMax > 4 ? QUOTE_LIMITS : { room: createRoomFor(poolCountMax) };
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
      if (poolCountMax > 2 && hopCostPpm < 10_000) assert.ok(divided > 10, `${divided} divided`);
    });
  }

  it('a single leg is the best single route to the unit, from dust to draining', () => {
    let compared = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const market = createRandomMarket(createRandom(seed), {
        poolCount: 14,
        assetCount: 5,
        noise: 0.004,
        concentratedShare: 0.7,
      });
      const paths = findPaths(market);
      for (const worth of [0, 1e-6, 50, 5000, 500_000, 5e7]) {
        const amountIn = pickAmount(market, worth);
        const tried = findBestPathByTrying(paths, amountIn);
        const single = route(market, amountIn, { isDivided: false });
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
      const amountIn = pickAmount(market, 10_000);
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
  it('gives the same answer for any order of pools', () => {
    const shape = { poolCount: 200, assetCount: 12, noise: 0.002, concentratedShare: 0.6 };
    const market = createRandomMarket(createRandom(5), shape);
    const backwards = new PoolGraph({ native: { coin: COIN, wrapped: null } });
    for (const pool of market.pools.toReversed()) backwards.set(pool);
    for (const worth of [10, 10_000, 1_000_000]) {
      const amountIn = pickAmount(market, worth);
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

  function assertFits({ swapPaths }: BestRoute): void {
    assert.ok(
      TRANSACTION_ROOM.computeUsed(swapPaths) <= 1,
      `${swapPaths.length} swap paths are too many`,
    );
  }

  /** From almost nothing to more than all liquidity of the market. */
  const WORTHS = [1, 100, 10_000, 100_000, 300_000, 1_000_000, 3_000_000, 1e7, 3e7, 1e8];
  /** Below this share of the input's value, price no longer matters. */
  const WORTH_LEFT_MIN = 0.1;

  /** The upper bound for any split that fits into one transaction. */
  function computeMost(bound: RouteBound, amountOut: bigint): number {
    // Room matters in few cases, and takes long to compute.
    if (Number(amountOut) >= bound.most * 0.999) return bound.most;
    const { computeShare, computeUsed } = TRANSACTION_ROOM;
    return bound.computeMostWithin({ whole: 1 - computeUsed([]), computeShare });
  }

  /** From here on gas is so little that the bound, which counts each pool once, is tight. */
  const NET_WORTH_MIN = 10_000;
  const NET_WORTH_MAX = 1_000_000;

  for (const poolCount of [20, 60, 200]) {
    it(`finds at least 99.9 % of what any division could pay on ${poolCount} pools`, () => {
      let compared = 0;
      for (let seed = 1; seed <= 6; seed += 1) {
        const market = createMarket(seed, poolCount);
        const [from = '', to = ''] = market.assets;
        const paths = findPaths(market);
        const cost = createHopCost(market);
        for (const worth of WORTHS) {
          const amountIn = pickAmount(market, worth);
          const found = route(market, amountIn, QUOTE_LIMITS);
          const name = `seed ${seed} worth ${worth}`;
          if (found === null) {
            const capacity = computeCapacity(market.pools, { from, to });
            assert.ok(Number(amountIn) > capacity * 0.99, `${name}: ${amountIn} of ${capacity}`);
            continue;
          }
          assertSound(found, amountIn);
          assertFits(found);
          assert.ok(found.amountOut >= findBestPathByTrying(paths, amountIn), `${name}, single`);
          const net = route(market, amountIn, { ...QUOTE_LIMITS, cost }) ?? assert.fail(name);
          assertSound(net, amountIn);
          assertFits(net);
          const one = route(market, amountIn, { isDivided: false, cost });
          const oneNet = one === null ? 0n : one.amountOut - one.cost;
          assert.ok(net.amountOut - net.cost >= oneNet, `${name}, net`);
          const bound = findRouteBound(market.pools, { from, to, amountIn });
          if (bound.most * (market.worths[1] ?? 1) < worth * WORTH_LEFT_MIN) continue;
          const share = Number(found.amountOut) / computeMost(bound, found.amountOut);
          assert.ok(share >= 0.999, `${name}: ${share}`);
          compared += 1;
          if (worth < NET_WORTH_MIN || worth > NET_WORTH_MAX) continue;
          const mostNet = bound.computeMostNet((pool) => Number(cost([{ pool }])));
          const netShare = Number(net.amountOut - net.cost) / mostNet;
          assert.ok(netShare >= 0.999, `${name}: ${netShare} net`);
        }
      }
      assert.ok(compared >= 20, `${compared}`);
    });
  }
});

const WETH = buildFakeAddress('ee', 1);
const TOKEN = buildFakeAddress('aa', 2);
const OTHER = buildFakeAddress('aa', 3);

function createGraph(pools: readonly GraphPool[], wrapped: Address | null = WETH): PoolGraph {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped } });
  for (const pool of pools) graph.set(pool);
  return graph;
}

describe('findBestRoute', () => {
  it('treats native and wrapped coin as one, and names the token of each pool', () => {
    const graph = createGraph([
      createPair(1, [COIN, TOKEN]),
      createPair(2, [TOKEN, WETH]),
      createPair(3, [COIN, WETH]),
    ]);
    for (const tokenIn of [COIN, WETH]) {
      const request = { tokenIn, tokenOut: TOKEN, amountIn: 10n ** 22n };
      const found = findBestRoute(graph, request) ?? assert.fail();
      assert.deepEqual(found.legs.map(({ hops }) => hops[0]?.tokenIn).sort(), [COIN, WETH]);
    }
  });

  it('goes through the wrapped coin from a native pool', () => {
    const graph = createGraph([createPair(1, [COIN, TOKEN]), createPair(2, [OTHER, WETH])]);
    const request = { tokenIn: TOKEN, tokenOut: OTHER, amountIn: 10n ** 20n };
    const found = findBestRoute(graph, request) ?? assert.fail();
    const [first, second] = found.legs[0]?.hops ?? [];
    assert.deepEqual([first?.tokenOut, second?.tokenIn], [COIN, WETH]);
    const apart = createGraph([...graph.pools()], null);
    assert.equal(findBestRoute(apart, request), null);
  });

  it('leaves pools out whose hook decides what they pay', () => {
    const graph = createGraph([
      createPair(1, [TOKEN, WETH], [DEEP, DEEP], { inexact: 'hook' }),
      createPair(2, [TOKEN, WETH], [DEEP / 100n, DEEP / 100n]),
    ]);
    const request = { tokenIn: WETH, tokenOut: TOKEN, amountIn: 10n ** 21n };
    const sure = findBestRoute(graph, request) ?? assert.fail();
    assert.deepEqual([sure.exact, sure.legs.length], [true, 1]);
  });

  it('is exact with a hook that is called after swaps only if no swap follows', () => {
    const hook = { address: OTHER, class: 'after', flags: ['afterSwap'], setsFee: false } as const;
    const last = createGraph([
      createPair(1, [WETH, OTHER], [DEEP, DEEP]),
      createPair(2, [OTHER, TOKEN], [DEEP, DEEP], { hook }),
    ]);
    const request = { tokenIn: WETH, tokenOut: TOKEN, amountIn: 10n ** 18n };
    assert.equal(findBestRoute(last, request)?.exact, true);
    const back = { ...request, tokenIn: TOKEN, tokenOut: WETH };
    assert.equal(findBestRoute(last, back)?.exact, false);
  });

  it('splits only if that pays for the extra leg', () => {
    const pools = [1, 2, 3, 4].map((number) =>
      createPair(number, [TOKEN, WETH], [DEEP / BigInt(number), DEEP / BigInt(number)]),
    );
    const graph = createGraph(pools);
    const request = { tokenIn: WETH, tokenOut: TOKEN, amountIn: 10n ** 22n };
    const free = findBestRoute(graph, request) ?? assert.fail();
    assert.equal(free.legs.length, 4);
    const single = findBestRoute(graph, request, { isDivided: false }) ?? assert.fail();
    const gain = free.amountOut - single.amountOut;
    const dear = findBestRoute(graph, request, { cost: () => gain }) ?? assert.fail();
    assert.equal(dear.legs.length, 1);
    const cost = () => gain / 6n;
    const fair = findBestRoute(graph, request, { cost }) ?? assert.fail();
    assert.equal(fair.cost, BigInt(fair.legs.length) * cost());
    assert.ok(fair.legs.length < 4);
    for (const poolCount of [1, 2, 3, 4]) {
      const room = createRoomFor(poolCount);
      const other = findBestRoute(graph, request, { room }) ?? assert.fail();
      assert.equal(other.legs.length, poolCount);
      const net = other.amountOut - BigInt(poolCount) * cost();
      assert.ok(fair.amountOut - fair.cost >= net, `${poolCount} legs`);
    }
  });

  it('swaps once in a pool that two routes share, and gives each its part', () => {
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
    const whole = first?.pool.curve.swapIn(true, request.amountIn).amountOut;
    assert.equal((first?.amountOut ?? 0n) + (second?.amountOut ?? 0n), whole);
    assert.deepEqual(
      found.swapPaths.map(({ takes, hops }) => [takes, hops.length]),
      [
        ['input', 1],
        ['part', 1],
        ['rest', 1],
      ],
    );
  });

  it('splits a few units so that each route has some', () => {
    for (const pairCount of [2, 3, 4]) {
      const graph = createGraph([
        createPair(1, [TOKEN, WETH], [1000n, 1000n * 10n ** 18n]),
        ...Array.from({ length: pairCount }, (_, index) =>
          createPair(index + 2, [WETH, OTHER], [30n * 10n ** 18n, 30n * 10n ** 18n]),
        ),
      ]);
      for (const amountIn of [1n, 2n, 3n, 7n, 50n]) {
        const found = findBestRoute(graph, { tokenIn: TOKEN, tokenOut: OTHER, amountIn });
        assertSound(found ?? assert.fail(), amountIn);
      }
    }
    const coarse = createGraph([
      ...[1, 2, 3, 4].map((number) => createPair(number, [TOKEN, WETH], [10n ** 20n, 10n ** 20n])),
      createPair(5, [WETH, OTHER], [10n ** 20n, 5n]),
    ]);
    const request = { tokenIn: TOKEN, tokenOut: OTHER, amountIn: 12n * 10n ** 19n };
    assertSound(findBestRoute(coarse, request) ?? assert.fail(), request.amountIn);
  });

  it('skips a pool that holds nothing', () => {
    const empty = createPair(2, [TOKEN, WETH], [0n, 0n]);
    const graph = createGraph([createPair(1, [TOKEN, WETH]), empty]);
    const request = { tokenIn: WETH, tokenOut: TOKEN, amountIn: 10n ** 20n };
    const found = findBestRoute(graph, request) ?? assert.fail();
    assert.deepEqual(
      found.swapPaths.map(({ hops }) => hops[0]?.pool.pool),
      [buildFakeAddress('dd', 1)],
    );
  });

  it('answers null if no route takes the whole input, or none exists', () => {
    const graph = createGraph([createPair(1, [TOKEN, WETH])]);
    const request = { tokenIn: WETH, tokenOut: TOKEN };
    assert.equal(findBestRoute(graph, { ...request, amountIn: 2n ** 112n }), null);
    assert.equal(findBestRoute(graph, { ...request, amountIn: 1n }), null);
    assert.equal(findBestRoute(graph, { ...request, tokenOut: OTHER, amountIn: DEEP }), null);
  });

  it('rejects invalid requests', () => {
    const graph = createGraph([]);
    const request = { tokenIn: WETH, tokenOut: COIN, amountIn: 1n };
    assert.throws(() => findBestRoute(graph, request), RangeError);
    assert.throws(() => findBestRoute(graph, { ...request, tokenOut: TOKEN, amountIn: 0n }));
  });
});
