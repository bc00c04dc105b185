// Routes that pay a given output: as cheap as the routes that spend as much, and executable.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { createRandomMarket, type RandomMarket } from '../../../test/fakes/random-pools.ts';
import {
  findPoolBytes,
  SOLANA_TRADE_COSTS,
  TRADE_COSTS,
  TRANSACTION_ROOM,
} from '../../../test/fakes/trade-costs.ts';
import { kindOf } from '../../amm/pool-kinds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolTerms } from '../../model/pool.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { findExactOutRoute } from './exact-out-route.ts';
import { searchTrade } from './find-trade-route.ts';
import { type BestRoute, findBestRoute, planField } from './route.ts';
import { createField } from './route-field.ts';
import { FREE, type RouteCost } from './route-single.ts';
import { SearchWork } from './search-work.ts';
import { createUnitCost } from './trade-cost.ts';
import { planTrade, type RouteQuestion } from './trade-plan.ts';

const WETH = buildFakeAddress('eeee', 1);
const TOKEN = buildFakeAddress('aaaa', 2);
const USDC = buildFakeAddress('bbbb', 3);
const AMOUNT = { amountRaw: 10n ** 18n };

interface Wanted {
  readonly amountOut: bigint;
  readonly reserveBps?: number;
  readonly cost?: RouteCost;
}

function findRoute(market: RandomMarket, wanted: Wanted): BestRoute | null {
  const [tokenIn, tokenOut] = market.assets;
  assert.ok(tokenIn !== undefined && tokenOut !== undefined);
  const field = createField(planField(market.graph, { tokenIn, tokenOut }, {}));
  const search = { room: TRANSACTION_ROOM, work: new SearchWork(), cost: FREE, reserveBps: 0 };
  const call = 'commands';
  return findExactOutRoute(field, { ...search, call, ...wanted });
}

/** What each hop does when it is executed, worked out from the pools alone. */
function assertExecutable({ swapPaths, legs, ...route }: BestRoute, wanted: Wanted): void {
  const { amountOut, reserveBps = 0 } = wanted;
  const pools = swapPaths.flatMap(({ hops }) => hops.map(({ pool }) => pool.pool));
  assert.equal(new Set(pools).size, pools.length, 'a pool is used twice');
  let asked = 0n;
  for (const { hops, takes, ...swapPath } of swapPaths) {
    assert.equal(takes, 'input');
    asked += hops.at(-1)?.askedOut ?? 0n;
    for (const [index, hop] of hops.entries()) {
      const { pool, zeroForOne, askedOut = 0n, amountIn, amountOut: paid } = hop;
      const next = hops[index + 1];
      const isJoined = next !== undefined && next.pool.bytes.command === pool.bytes.command;
      const { curve } = pool;
      if (kindOf(pool).countsArrivals) {
        assert.equal(curve.swapIn(zeroForOne, amountIn).amountOut, paid);
        assert.ok(paid >= askedOut);
      } else {
        assert.deepEqual(
          [curve.swapOut(zeroForOne, askedOut).amountIn, paid],
          [amountIn, askedOut],
        );
      }
      if (next === undefined) continue;
      if (isJoined) assert.equal(next.amountIn, paid);
      else assert.ok(askedOut * 10_000n >= next.amountIn * BigInt(10_000 + reserveBps));
    }
    assert.deepEqual(
      [swapPath.amountIn, swapPath.amountOut],
      [hops[0]?.amountIn, hops.at(-1)?.amountOut],
    );
  }
  assert.equal(asked, amountOut);
  for (const parts of [swapPaths, legs]) {
    const [ins, outs] = [parts.map((one) => one.amountIn), parts.map((one) => one.amountOut)];
    assert.deepEqual([sum(ins), sum(outs)], [route.amountIn, route.amountOut]);
  }
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, one) => all + one, 0n);
}

function drawMarket(seed: number, poolCount: number): RandomMarket {
  const shape = { poolCount, assetCount: 4, noise: 0.002, concentratedShare: 0.5 };
  return createRandomMarket(createRandom(seed), shape);
}

function findSpending(market: RandomMarket, worth: number): BestRoute | null {
  const [tokenIn, tokenOut] = market.assets;
  assert.ok(tokenIn !== undefined && tokenOut !== undefined);
  const amountIn = BigInt(Math.max(1, Math.floor(worth / (market.worths[0] ?? 1))));
  return findBestRoute(market.graph, { tokenIn, tokenOut, amountIn }, { room: TRANSACTION_ROOM });
}

describe('a route for a given output', () => {
  it('is executable, and costs about what buys as much by a route for a given input', () => {
    let [compared, equal, divided, through] = [0, 0, 0, 0];
    for (let seed = 1; seed <= 60; seed += 1) {
      const market = drawMarket(seed, 6 + (seed % 10));
      const worth = 10 ** (1 + (seed % 5));
      const spending = findSpending(market, worth);
      if (spending === null) continue;
      const wanted = { amountOut: spending.amountOut, reserveBps: seed % 2 === 0 ? 0 : 25 };
      const route = findRoute(market, wanted);
      if (route === null) {
        // Many pools together can pay more than a few paths that share none.
        assert.ok(spending.legs.length > 1, `${seed}`);
        continue;
      }
      assertExecutable(route, wanted);
      const excess = Number(route.amountIn) / Number(spending.amountIn) - 1;
      // Only trades that move the whole market are much dearer without joins.
      const most = worth < 100_000 ? 0.03 : 0.1;
      assert.ok(excess < most, `seed ${seed}: ${(excess * 100).toFixed(3)} % more`);
      if (excess < 1e-4) equal += 1;
      compared += 1;
      if (route.swapPaths.length > 1) divided += 1;
      if (route.swapPaths.some(({ hops }) => hops.length > 1)) through += 1;
    }
    const counts = { compared, equal, divided, through };
    assert.ok(compared > 50 && equal > 30, JSON.stringify(counts));
    assert.ok(divided > 10 && through > 10, JSON.stringify(counts));
  });

  it('is divided only if that saves more than it costs', () => {
    const pools = [1, 2].map((number) => createPair(number, [TOKEN, WETH]));
    const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
    for (const pool of pools) graph.set(pool);
    const plan = planField(graph, { tokenIn: WETH, tokenOut: TOKEN }, {});
    const find = (cost: RouteCost) =>
      findExactOutRoute(createField(plan), {
        ...{ amountOut: 10n ** 22n, reserveBps: 0, room: null, work: new SearchWork(), cost },
        call: 'commands',
      })?.swapPaths.length;
    assert.equal(find(FREE), 2);
    assert.equal(
      find(() => 10n ** 22n),
      1,
    );
    assert.equal(find(createUnitCost({ numerator: 1n, denominator: 1n })), 2);
  });

  it('asks for a reserve only between exchanges of different kinds', () => {
    const first = createPair(1, [USDC, WETH]);
    const last = createPair(2, [TOKEN, USDC]);
    const other = { ...last, bytes: { ...last.bytes, command: 'v3' } };
    for (const [pools, isKept] of [
      [[first, last], false],
      [[first, other], true],
    ] as const) {
      const found = search(pools, { amountRaw: 10n ** 18n, reserveBps: 100 });
      assert.ok(found.kind === 'found');
      const [hop, next] = found.found.route.swapPaths[0]?.hops ?? [];
      assert.equal(
        hop !== undefined && next !== undefined && hop.amountOut > next.amountIn,
        isKept,
      );
    }
  });
});

function search(
  pools: readonly GraphPool[],
  wanted: { readonly amountRaw: bigint; readonly reserveBps?: number },
  more: Partial<RouteQuestion> = {},
) {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  for (const pool of pools) graph.set(pool);
  const unit: Ratio | null = null;
  const question: RouteQuestion = {
    ...{
      graph,
      safetyCache: new SafetyCache(),
      trusted: new Set([WETH, USDC]),
      isPaused: () => false,
    },
    ...{ tokenIn: WETH, tokenOut: TOKEN, outPerUnit: unit, costs: TRADE_COSTS },
    size: { fixed: 'output', reserveBps: 0, ...wanted },
    ...more,
  };
  return searchTrade(planTrade(question), new SearchWork());
}

it('each exchange on Solana pays a given output, on PumpSwap and curves the coin alone', () => {
  const terms = (stage: string) => ({ kind: 'pump', terms: { stage } });
  const kinds = ['ceiledProduct', 'rangeX64', 'bins', 'singleRange', 'segments'];
  const both = kinds.map((kind) => ({ kind, terms: null }));
  const find = (pool: object, tokens: readonly [Address, Address]) => {
    const bytes = findPoolBytes(pool as PoolTerms);
    const costs = SOLANA_TRADE_COSTS;
    const found = search([createPair(1, tokens, [DEEP, DEEP], { bytes })], AMOUNT, { costs });
    return found.kind === 'none' ? found.reason : found.kind;
  };
  for (const pool of both) {
    assert.equal(find(pool, [TOKEN, WETH]), 'found', pool.kind);
    assert.equal(find(pool, [WETH, TOKEN]), 'found', pool.kind);
  }
  for (const stage of ['amm', 'curve']) {
    assert.equal(find(terms(stage), [TOKEN, WETH]), 'found', stage);
    assert.equal(find(terms(stage), [WETH, TOKEN]), 'openOutput', stage);
  }
});

describe('no route for a given output', () => {
  const pair = createPair(1, [TOKEN, WETH], [10n ** 21n, 10n ** 21n]);
  const refuse = (...args: Parameters<typeof search>) => {
    const found = search(...args);
    return found.kind === 'none' ? found.reason : 'found';
  };

  it('because the pools have less, or there is none', () => {
    assert.equal(refuse([pair], { amountRaw: 9n * 10n ** 20n }), 'found');
    assert.equal(refuse([pair], { amountRaw: 10n ** 21n }), 'tooMuch');
    assert.equal(refuse([], { amountRaw: 1n }), 'noMarket');
  });

  it('because of a hook, of an exchange that cannot, or of a tax', () => {
    const amountRaw = 10n ** 18n;
    const { fixesOutput: _, ...bytes } = pair.bytes;
    assert.equal(
      refuse(
        [{ ...pair, hook: { address: pair.vault, class: 'after', flags: [], setsFee: false } }],
        { amountRaw },
      ),
      'hookedOutput',
    );
    assert.equal(refuse([{ ...pair, bytes }], { amountRaw }), 'openOutput');
    const safetyCache = new SafetyCache();
    const clean = { outBps: 0, inBps: 0, sellable: true };
    const { pool, token0, token1 } = pair;
    const sides = { side0: { ...clean, outBps: 300 }, side1: clean, hookFees: null };
    safetyCache.set({ pool, token0, token1, ...sides, checkedAtMs: 1 });
    assert.equal(refuse([pair], { amountRaw }, { safetyCache }), 'taxedOutput');
  });
});
