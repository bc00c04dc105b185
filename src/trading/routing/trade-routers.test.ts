// A route uses the pools of one router; the best over all routers wins, net of what it costs.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { TRADE_COSTS } from '../../../test/fakes/trade-costs.ts';
import { fc } from '../../../test/fast-check.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import type { Address } from '../../model/ids.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { createSearchAnswerer } from '../search/answer-searches.ts';
import type { SearchMessage } from '../search/search-message.ts';
import { SentPools } from '../search/search-threads.ts';
import { searchTrade } from './find-trade-route.ts';
import { SearchWork } from './search-work.ts';
import { type GivenAmount, planTrade, type RouteQuestion, toWholePlan } from './trade-plan.ts';

const WETH = buildFakeAddress('ee', 1);
const USDC = buildFakeAddress('ee', 2);
const TOKEN = buildFakeAddress('aa', 1);

const UNISWAP: TradeRouter = {
  ...{ name: 'universal', venues: new Set(['uniswap-v2']), canDivide: true },
  ...{ canTax: true, isProven: true, outputCall: 'commands' },
};
const OTHER: TradeRouter = {
  ...{ name: 'other', venues: new Set(['other-v2']), canDivide: false },
  ...{ canTax: false, isProven: false, outputCall: 'exactPath' },
};

let made = 0;

function spend(amountRaw: bigint): GivenAmount {
  return { fixed: 'input', amountRaw, reserveBps: 0 };
}

function pay(amountRaw: bigint, reserveBps = 0) {
  return { size: { fixed: 'output' as const, amountRaw, reserveBps } };
}

function createPool(
  tokens: readonly [Address, Address],
  venue: string,
  reserves: readonly [bigint, bigint] = [DEEP, DEEP],
): GraphPool {
  made += 1;
  return createPair(made, tokens, reserves, { venue });
}

function ask(pools: readonly GraphPool[], more: Partial<RouteQuestion> = {}) {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  for (const pool of pools) graph.set(pool);
  const question: RouteQuestion = {
    ...{
      graph,
      safetyCache: new SafetyCache(),
      trusted: new Set([WETH, USDC]),
      isPaused: () => false,
    },
    ...{ tokenIn: WETH, tokenOut: TOKEN, size: spend(DEEP / 100n), outPerUnit: null },
    ...{ costs: TRADE_COSTS, routers: [UNISWAP, OTHER], ...more },
  };
  const here = searchTrade(planTrade(question), new SearchWork());
  assert.deepEqual(
    searchElsewhere(question),
    here.kind === 'found' ? here.found.router : here.reason,
  );
  return here;
}

/** As a search thread does it, with all that it was sent. */
function searchElsewhere(question: RouteQuestion): string | null {
  let answer: SearchMessage | null = null;
  const run = createSearchAnswerer(
    (message) => {
      answer = message;
    },
    () => undefined,
  );
  for (const command of new SentPools().send(toWholePlan(planTrade(question)), 1)) {
    run(structuredClone(command));
  }
  const { search } = answer ?? (assert.fail() as SearchMessage);
  return search.kind === 'found' ? search.found.router : search.reason;
}

function listVenues(pools: readonly GraphPool[], more: Partial<RouteQuestion> = {}) {
  const search = ask(pools, more);
  if (search.kind === 'none') return search.reason;
  const { router, route } = search.found;
  const hops = route.swapPaths.flatMap((swapPath) => swapPath.hops);
  return [router, ...new Set(hops.map(({ pool }) => pool.venue))];
}

describe('a trade with several routers', () => {
  it('goes through the one that pays most, not through both', () => {
    const deep = createPool([WETH, TOKEN], 'other-v2', [DEEP, DEEP]);
    const flat = createPool([WETH, TOKEN], 'uniswap-v2', [DEEP / 2n, DEEP / 2n]);
    assert.deepEqual(listVenues([deep, flat]), ['other', 'other-v2']);
    const deepest = createPool([WETH, TOKEN], 'uniswap-v2', [DEEP * 2n, DEEP * 2n]);
    assert.deepEqual(listVenues([deep, flat, deepest]), ['universal', 'uniswap-v2']);
  });

  it('compares them net of what the swaps cost', () => {
    const direct = createPool([WETH, TOKEN], 'uniswap-v2');
    const better = [
      createPool([WETH, USDC], 'other-v2', [DEEP, (DEEP * 101n) / 100n]),
      createPool([USDC, TOKEN], 'other-v2', [DEEP, (DEEP * 101n) / 100n]),
    ];
    const amountIn = DEEP / 10_000n;
    assert.deepEqual(listVenues([direct, ...better], { size: spend(amountIn) }), [
      'other',
      'other-v2',
    ]);
    // The second hop costs more than it brings.
    const outPerUnit = { numerator: amountIn, denominator: 1_000_000n };
    const dear = listVenues([direct, ...better], { size: spend(amountIn), outPerUnit });
    assert.deepEqual(dear, ['universal', 'uniswap-v2']);
  });

  it('is divided only by a router that can', () => {
    const count = (venue: string) => {
      const pools = [1, 2].map(() => createPool([WETH, TOKEN], venue));
      const search = ask(pools, {
        size: spend(DEEP / 2n),
        outPerUnit: { numerator: 0n, denominator: 1n },
      });
      return search.kind === 'found' ? search.found.route.swapPaths.length : 0;
    };
    assert.deepEqual([count('uniswap-v2'), count('other-v2')], [2, 1]);
  });

  it('says when only pools of several routers lead there', () => {
    const pools = [createPool([WETH, USDC], 'uniswap-v2'), createPool([USDC, TOKEN], 'other-v2')];
    assert.equal(listVenues(pools), 'severalRouters');
    assert.equal(listVenues(pools.slice(1)), 'noMarket');
    const little = createPool([WETH, TOKEN], 'other-v2', [10n ** 30n, 10n]);
    assert.equal(listVenues([...pools, little], { size: spend(1n) }), 'tooLittle');
  });

  it('says so, too, if the output is given', () => {
    const pools = [createPool([WETH, USDC], 'uniswap-v2'), createPool([USDC, TOKEN], 'other-v2')];
    assert.equal(listVenues(pools, pay(1000n)), 'severalRouters');
    assert.equal(listVenues(pools.slice(1), pay(1000n)), 'noMarket');
  });

  it('says, if the output is given, when no router has enough', () => {
    const small = createPool([WETH, TOKEN], 'uniswap-v2', [DEEP / 100n, DEEP / 100n]);
    const large = createPool([WETH, TOKEN], 'other-v2');
    assert.deepEqual(listVenues([small, large], pay(DEEP / 50n)), ['other', 'other-v2']);
    assert.deepEqual(listVenues([large], pay(DEEP / 50n)), ['other', 'other-v2']);
    assert.equal(listVenues([small, large], pay(DEEP * 2n)), 'tooMuch');
  });

  it('does not use a router for a taxed token that it cannot trade', () => {
    const pool = createPool([WETH, TOKEN], 'other-v2');
    const safetyCache = new SafetyCache();
    const taxed = { outBps: 500, inBps: 500, sellable: true };
    const clean = { outBps: 0, inBps: 0, sellable: true };
    const { token0, token1 } = pool;
    const [side0, side1] = token0 === TOKEN ? [taxed, clean] : [clean, taxed];
    safetyCache.set({
      pool: pool.pool,
      token0,
      token1,
      side0,
      side1,
      hookFees: null,
      checkedAtMs: 1,
    });
    assert.equal(listVenues([pool], { safetyCache }), 'taxedRouter');
    const selling = { safetyCache, tokenIn: TOKEN, tokenOut: WETH };
    assert.equal(listVenues([pool], selling), 'taxedRouter');
    assert.equal(ask([pool], { safetyCache, routers: [{ ...OTHER, canTax: true }] }).kind, 'found');
  });
});

describe('a given output', () => {
  const asked = DEEP / 1000n;

  function find(
    pools: readonly GraphPool[],
    outputCall: TradeRouter['outputCall'],
    more: Partial<RouteQuestion> = {},
  ) {
    const routers = [UNISWAP, { ...OTHER, outputCall }];
    const search = ask(pools, { ...pay(asked), routers, ...more });
    return search.kind === 'found' ? search.found : assert.fail(search.reason);
  }

  it('goes through the router that takes least', () => {
    const near = createPool([WETH, TOKEN], 'uniswap-v2');
    const cheap = createPool([WETH, TOKEN], 'other-v2', [DEEP, (DEEP * 101n) / 100n]);
    assert.equal(find([near, cheap], 'path').router, 'other');
    const cheaper = createPool([WETH, TOKEN], 'uniswap-v2', [DEEP, (DEEP * 102n) / 100n]);
    assert.equal(find([near, cheap, cheaper], 'path').router, 'universal');
  });

  it('is one path with the router of an exchange, however much a division would save', () => {
    const pools = [1, 2].map(() => createPool([WETH, TOKEN], 'other-v2'));
    const { route } = find(pools, 'path', pay(DEEP / 4n));
    assert.deepEqual([route.swapPaths.length, route.swapPaths[0]?.hops.length], [1, 1]);
  });

  it('is paid to the unit by pairs that are asked for it, or by what arrives', () => {
    // A pair that pays many units for one of the input.
    const pool = createPool([WETH, TOKEN], 'other-v2', [DEEP / 1000n, DEEP]);
    const exact = find([pool], 'exactPath').route;
    const arriving = find([pool], 'path').route;
    assert.equal(exact.amountOut, asked);
    assert.ok(arriving.amountOut > asked);
    assert.equal(exact.amountIn, arriving.amountIn);
    const { amountOut } = pool.curve.swapIn(true, arriving.amountIn);
    assert.equal(arriving.amountOut, amountOut);
  });

  it('is paid to the unit where a router can, of a token that somebody vouches for', () => {
    const pairs: TradeRouter = {
      ...{ name: 'pairs', venues: new Set(['uniswap-v2']), canDivide: false, canTax: true },
      ...{ isProven: true, outputCall: 'exactPath', onlyOutputs: true },
    };
    const smart: TradeRouter = { ...OTHER, name: 'smart', outputCall: 'path' };
    const routers = [UNISWAP, smart, OTHER, pairs];
    const trusted = new Set([WETH, USDC]);
    const seen = { exact: 0, more: 0 };
    const drawn = fc.record({
      venue: fc.constantFrom('uniswap-v2', 'other-v2'),
      pooled: fc.bigInt({ min: 10n ** 6n, max: DEEP }),
      price: fc.bigInt({ min: 1n, max: 10n ** 9n }),
      part: fc.bigInt({ min: 2n, max: 10n ** 6n }),
      hasTwoHops: fc.boolean(),
    });
    fc.assert(
      fc.property(drawn, ({ venue, pooled, price, part, hasTwoHops }) => {
        const deep = pooled * price;
        const pools = hasTwoHops
          ? [
              createPool([TOKEN, WETH], venue, [pooled, pooled]),
              createPool([WETH, USDC], venue, [pooled, deep]),
            ]
          : [createPool([TOKEN, USDC], venue, [pooled, deep])];
        const asks = { ...pay(deep / part || 1n), tokenIn: TOKEN, tokenOut: USDC };
        const find = (more: Partial<RouteQuestion>) => {
          const search = ask(pools, { ...asks, routers, trusted, ...more });
          return search.kind === 'found' ? search.found : null;
        };
        const [found, unvouched] = [find({}), find({ trusted: new Set([WETH]) })];
        // A pool in between has too little.
        if (found === null) return assert.equal(unvouched, null);
        const isOwn = venue === 'uniswap-v2';
        assert.equal(found.router, isOwn ? 'pairs' : 'other');
        assert.equal(found.route.amountOut, asks.size.amountRaw);
        assert.equal(unvouched?.router, isOwn ? 'universal' : 'smart');
        assert.equal(unvouched.route.amountIn, found.route.amountIn);
        seen[unvouched.route.amountOut > found.route.amountOut ? 'more' : 'exact'] += 1;
        const spending = find({ size: spend(pooled / 3n + 1n) });
        assert.notEqual(spending?.router, 'pairs');
      }),
    );
    assert.ok(seen.more > 20, JSON.stringify(seen));
  });

  it('is bought by the smallest input where a router is only told what to spend', () => {
    const pools = [
      createPool([WETH, USDC], 'other-v2'),
      createPool([USDC, TOKEN], 'other-v2', [DEEP, DEEP * 3n]),
    ];
    const { route, isInputGiven } = find(pools, 'input');
    assert.equal(isInputGiven, true);
    const payFor = (amountIn: bigint) =>
      pools.reduce((amount, { curve }) => curve.swapIn(true, amount).amountOut, amountIn);
    assert.equal(route.amountOut, payFor(route.amountIn));
    assert.ok(route.amountOut >= asked && payFor(route.amountIn - 1n) < asked);
    assert.equal(find(pools, 'exactPath').isInputGiven, false);
  });

  it('counts what such a router spends in reserve', () => {
    const plain = createPool([WETH, TOKEN], 'uniswap-v2');
    const cheap = createPool([WETH, TOKEN], 'other-v2', [DEEP, (DEEP * 101n) / 100n]);
    assert.equal(find([plain, cheap], 'input', pay(asked, 40)).router, 'other');
    assert.equal(find([plain, cheap], 'input', pay(asked, 60)).router, 'universal');
    const { size } = pay(asked, 25);
    const spend = (spentMoreBps: number) =>
      find([plain, cheap], 'input', { size: { ...size, spentMoreBps } }).router;
    assert.deepEqual([spend(50), spend(500)], ['other', 'universal']);
  });

  it('is spent for where a path has pools of two kinds, which one call cannot ask', () => {
    const first = createPool([WETH, USDC], 'other-v2');
    const last = createPool([USDC, TOKEN], 'other-v2');
    const ranged = { ...last, bytes: { ...last.bytes, command: 'v3' } };
    assert.equal(find([first, last], 'path').isInputGiven, false);
    const mixed = find([first, ranged], 'path', pay(asked, 25));
    assert.equal(mixed.isInputGiven, true);
    const [one, two] = mixed.route.swapPaths[0]?.hops ?? [];
    assert.equal(one?.amountOut, two?.amountIn);
    // A path of one kind that is a little dearer is cheaper without a reserve.
    const direct = createPool([WETH, TOKEN], 'other-v2', [DEEP, (DEEP * 996n) / 1000n]);
    assert.equal(find([first, ranged, direct], 'path', pay(asked, 25)).isInputGiven, false);
  });
});
