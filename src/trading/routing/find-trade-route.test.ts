// Which pools a trade uses, by what is known of their tokens.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { PLAIN_RULES, TRADE_COSTS } from '../../../test/fakes/trade-costs.ts';
import { poolId } from '../../../test/test-ids.ts';
import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import { toSqrtPriceX96 } from '../../amm/concentrated/sqrt-price-at-tick.ts';
import { TickList } from '../../amm/tick-list.ts';
import type { Address } from '../../model/ids.ts';
import type { SideSafety } from '../../model/pool-safety.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import { createGraphPool, type GraphPool } from '../graph/pool-graph-pool.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { findTradeRoute, searchTrade, type TaxedRoute } from './find-trade-route.ts';
import { SearchWork } from './search-work.ts';
import { type GivenAmount, planTrade, type RouteQuestion } from './trade-plan.ts';

const WETH = buildFakeAddress('ee', 1);
const USDC = buildFakeAddress('ee', 2);
const TOKEN = buildFakeAddress('aa', 1);
const OTHER = buildFakeAddress('aa', 2);
/** A hop costs a unit or two. */
const CHEAP = { numerator: 1n, denominator: 50_000n };
const CLEAN: SideSafety = { outBps: 0, inBps: 0, sellable: true };

/** A V3 pool at a price of 1 over the full range. */
function createRange(number: number, tokens: readonly [Address, Address]): GraphPool {
  const ticks = new TickList([
    { tick: -887_220, liquidityNet: DEEP },
    { tick: 887_220, liquidityNet: -DEEP },
  ]);
  const fees = { zeroForOne: 3000, oneForZero: 3000 };
  const state = { sqrtPriceX96: 2n ** 96n, liquidity: DEEP, tick: 0 };
  const curve = new ConcentratedPool(state, { bitmapSpacing: 60, fees, ticks });
  const terms = { tickSpacing: 60, custody: { kind: 'own' } } as const;
  const range = { venue: 'uniswap-v3', kind: 'concentrated', terms, curve } as const;
  return createPair(number, tokens, [DEEP, DEEP], range);
}

const UNIT = 10n ** 18n;

/** A V3 pool at a price of 1 with a fee of 0.05 %, created before the index began. */
function createOldRange(number: number, options: { liquidity: bigint; tick: number }): GraphPool {
  const vault = buildFakeAddress('dd', number);
  const { liquidity, tick } = options;
  const price = { sqrtPriceX96: toSqrtPriceX96(tick), liquidity, tick };
  const made = createGraphPool(
    {
      ...{ pool: poolId(vault), kind: 'concentrated', venue: 'uniswap-v3' },
      ...{ token0: TOKEN, token1: WETH },
      ...{ feePips: 500, vault, terms: { tickSpacing: 10, custody: { kind: 'own' } } },
      ...{ createdBlock: 1, createdAtMs: 1, complete: false, lastSwapAtMs: 1 },
      state: { ...price, protocolFee: 0, amount0: null, amount1: null },
      liquidityUsdE18: null,
    },
    [],
    PLAIN_RULES,
  );
  return made ?? assert.fail();
}

function spend(amountRaw: bigint): GivenAmount {
  return { fixed: 'input', amountRaw, reserveBps: 0 };
}

function pay(amountRaw: bigint): GivenAmount {
  return { fixed: 'output', amountRaw, reserveBps: 0 };
}

interface Seen {
  readonly pool: GraphPool;
  readonly side0?: Partial<SideSafety>;
  readonly side1?: Partial<SideSafety>;
}

function createQuestion(
  pools: readonly GraphPool[],
  options: { readonly seen?: readonly Seen[]; readonly paused?: string } & Partial<RouteQuestion>,
): RouteQuestion {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  for (const pool of pools) graph.set(pool);
  const { seen = [], paused, ...more } = options;
  const safetyCache = new SafetyCache();
  for (const { pool, side0, side1 } of seen) {
    const { token0, token1 } = pool;
    const sides = { side0: { ...CLEAN, ...side0 }, side1: { ...CLEAN, ...side1 } };
    safetyCache.set({ pool: pool.pool, token0, token1, ...sides, hookFees: null, checkedAtMs: 1 });
  }
  return {
    graph,
    safetyCache,
    trusted: new Set([WETH, USDC]),
    isPaused: (token) => token === paused,
    tokenIn: WETH,
    tokenOut: TOKEN,
    size: spend(10n ** 20n),
    outPerUnit: null,
    costs: TRADE_COSTS,
    ...more,
  };
}

function findRoute(question: RouteQuestion): TaxedRoute | null {
  return findTradeRoute(planTrade(question), new SearchWork());
}

function listRoutePools(question: RouteQuestion): string[] | null {
  const found = findRoute(question);
  if (found === null) return null;
  return found.route.legs.flatMap(({ hops }) => hops.map(({ pool }) => pool.pool)).sort();
}

function listIds(...pools: readonly GraphPool[]): string[] {
  return pools.map(({ pool }) => pool).sort();
}

describe('a token between the two ends', () => {
  // Through the other token twice as much is paid as directly.
  const direct = createPair(1, [TOKEN, WETH], [DEEP, DEEP]);
  const first = createPair(2, [OTHER, WETH], [DEEP * 2n, DEEP]);
  const second = createPair(3, [TOKEN, OTHER], [DEEP * 20n, DEEP * 20n]);
  const market = [direct, first, second];
  const both = [{ pool: first }, { pool: second }];

  it('that was seen to be clean is used', () => {
    const used = listRoutePools(createQuestion(market, { seen: both })) ?? assert.fail();
    assert.ok(listIds(first, second).every((id) => used.includes(id)));
  });

  it('is used where a transfer only rounds, or a stray coin lies in a pair', () => {
    const rounded = [
      { pool: first, side0: { outBps: 0.01 } },
      { pool: second, side1: { inBps: 0.01 } },
    ];
    const used = listRoutePools(createQuestion(market, { seen: rounded })) ?? assert.fail();
    assert.ok(listIds(first, second).every((id) => used.includes(id)));
  });

  for (const [name, options] of [
    ['that nobody has looked at', {}],
    ['of which one pool only was looked at', { seen: [{ pool: second }] }],
    [
      'that is taxed when it is paid out',
      { seen: [{ pool: first, side0: { outBps: 1 } }, { pool: second }] },
    ],
    [
      'that is taxed when it is paid in',
      { seen: [{ pool: first }, { pool: second, side1: { inBps: 1 } }] },
    ],
    [
      'that cannot be sold',
      { seen: [{ pool: first }, { pool: second, side1: { sellable: false } }] },
    ],
    [
      'of which nothing could be seen',
      { seen: [{ pool: first }, { pool: second, side1: { sellable: null } }] },
    ],
    ['that is paused', { seen: both, paused: OTHER }],
  ] as const) {
    it(`${name} is not, however well it pays`, () => {
      assert.deepEqual(listRoutePools(createQuestion(market, options)), listIds(direct));
    });
  }

  it('that was never probed is better than no route', () => {
    assert.deepEqual(listRoutePools(createQuestion([first, second], {})), listIds(first, second));
  });

  it('that is taxed or paused is not used even then', () => {
    const taxed = [{ pool: first, side0: { outBps: 100 } }, { pool: second }];
    assert.equal(listRoutePools(createQuestion([first, second], { seen: taxed })), null);
    assert.equal(
      listRoutePools(createQuestion([first, second], { seen: both, paused: OTHER })),
      null,
    );
  });

  it('needs no probe if the chain vouches for it', () => {
    const through = [
      createPair(4, [USDC, WETH], [DEEP * 2n, DEEP]),
      createPair(5, [TOKEN, USDC], [DEEP * 20n, DEEP * 20n]),
    ];
    const used = listRoutePools(createQuestion([direct, ...through], {})) ?? assert.fail();
    assert.ok(listIds(...through).every((id) => used.includes(id)));
  });
});

describe('a taxed token', () => {
  const pair = createPair(1, [TOKEN, WETH]);
  const range = createRange(2, [TOKEN, WETH]);
  const sell = { tokenIn: TOKEN, tokenOut: WETH };

  it('is sold to pools that count what arrives, less its tax', () => {
    const seen = [
      { pool: pair, side0: { inBps: 700 } },
      { pool: range, side0: { inBps: 700, sellable: false } },
    ];
    const question = createQuestion([pair, range], { seen, ...sell });
    const found = findRoute(question) ?? assert.fail();
    assert.deepEqual(listRoutePools(question), listIds(pair));
    assert.deepEqual(found.taxes, { inBps: 700, outBps: 0 });
    assert.equal(found.route.amountIn, (question.size.amountRaw * 93n) / 100n);
  });

  it('is bought from any pool, and the tax is taken from what it pays', () => {
    const seen = [
      { pool: pair, side0: { outBps: 300 } },
      { pool: range, side0: { outBps: 300 } },
    ];
    const question = createQuestion([pair, range], { seen, size: spend(10n ** 22n) });
    const found = findRoute(question) ?? assert.fail();
    assert.deepEqual(listRoutePools(question), listIds(pair, range));
    assert.equal(found.amountOut, found.route.amountOut - (found.route.amountOut * 300n) / 10_000n);
  });

  it('goes to the pools of the tax that leaves most, never to both kinds', () => {
    const cheap = createPair(3, [TOKEN, WETH], [DEEP, (DEEP * 98n) / 100n]);
    const seen = [
      { pool: pair, side0: { inBps: 700 } },
      { pool: cheap, side0: { inBps: 0 } },
    ];
    const question = createQuestion([pair, cheap], { seen, ...sell, size: spend(10n ** 23n) });
    assert.deepEqual(listRoutePools(question), listIds(cheap));
  });
});

describe('a hook that is called after swaps', () => {
  const hook = { address: OTHER, class: 'after', flags: ['afterSwap'], setsFee: false } as const;
  const small = createPair(1, [TOKEN, WETH], [DEEP / 1000n, DEEP / 1000n]);
  const first = createPair(2, [WETH, OTHER], [DEEP, DEEP], { hook });
  const last = createPair(3, [OTHER, TOKEN], [DEEP, DEEP]);
  const seen = [{ pool: small }, { pool: first }, { pool: last }];
  /** Moves the small pool by 2 %. */
  const LITTLE = DEEP / 100_000n;

  it('may not come before another pool if that costs little', () => {
    const question = createQuestion([small, first, last], { seen, size: spend(LITTLE) });
    assert.deepEqual(listRoutePools(question), listIds(small));
  });

  it('may if that pays much more', () => {
    const question = createQuestion([small, first, last], { seen, size: spend(10n ** 21n) });
    assert.ok(listRoutePools(question)?.includes(first.pool));
  });

  it('may pay what is received', () => {
    const sell = { seen, tokenIn: TOKEN, tokenOut: WETH, size: spend(LITTLE) };
    const question = createQuestion([small, first, last], sell);
    assert.ok(listRoutePools(question)?.includes(first.pool));
  });

  it('routes that were seen to fail are reported only if there are no others', () => {
    const other = createPair(2, [TOKEN, WETH], [DEEP, DEEP]);
    const stuck = [{ pool: small, side0: { sellable: false } }, { pool: other }];
    const sell = { tokenIn: TOKEN, tokenOut: WETH, size: spend(10n ** 18n) };
    assert.deepEqual(listRoutePools(createQuestion([small, other], { seen: stuck, ...sell })), [
      other.pool,
    ]);
    assert.deepEqual(listRoutePools(createQuestion([small], { seen: stuck, ...sell })), [
      small.pool,
    ]);
  });
});

describe('a pool older than the index', () => {
  const pair = createPair(1, [TOKEN, WETH], [4000n * UNIT, 4000n * UNIT]);
  const old = createOldRange(2, { liquidity: 1_000_000n * UNIT, tick: 5 });

  it('is compared by what it pays, although it is not exact', () => {
    const alone = findRoute(createQuestion([pair], { size: spend(100n * UNIT) })) ?? assert.fail();
    assert.equal(alone.amountOut / 10n ** 16n, 97_27n);
    const both = createQuestion([pair, old], { size: spend(100n * UNIT) });
    const found = findRoute(both) ?? assert.fail();
    assert.ok(found.amountOut > 99n * UNIT, String(found.amountOut));
    assert.deepEqual(listRoutePools(both), listIds(old));
    assert.equal(found.route.exact, false);
  });

  it('is used up to the next tick that it may have, and never beyond', () => {
    const small = createPair(3, [TOKEN, WETH], [400_000n * UNIT, 400_000n * UNIT]);
    const question = createQuestion([small, old], { size: spend(100_000n * UNIT) });
    const found = findRoute(question) ?? assert.fail();
    const hops = found.route.legs.flatMap((leg) => leg.hops);
    assert.deepEqual(listRoutePools(question), listIds(small, old));
    const certain = hops.find(({ pool }) => pool === old) ?? assert.fail();
    // Between tick 5 and tick 10 there is room for about 250 of the million.
    assert.ok(certain.amountIn < 260n * UNIT, String(certain.amountIn));
    assert.ok(certain.amountIn > 240n * UNIT, String(certain.amountIn));
  });

  it('alone does not fill amounts beyond its known range', () => {
    const most = (old.curve.takesAtMost(false, Number.MAX_VALUE) / 1e18).toFixed(1);
    assert.equal(most, '250.2');
    assert.equal(findRoute(createQuestion([old], { size: spend(300_000n * UNIT) })), null);
    assert.notEqual(findRoute(createQuestion([old], { size: spend(249n * UNIT) })), null);
  });
});

describe('legs', () => {
  const pools = Array.from({ length: 12 }, (_, index) => createPair(index + 1, [TOKEN, WETH]));
  const seen = pools.map((pool) => ({ pool }));
  const size = spend(DEEP);
  const countLegs = (more: Partial<RouteQuestion>) =>
    findRoute(createQuestion(pools, { seen, size, ...more }))?.route.legs.length;

  it('are as many as pay for themselves if their cost is known', () => {
    assert.equal(countLegs({ outPerUnit: CHEAP }), 12);
    assert.equal(countLegs({ outPerUnit: { numerator: DEEP, denominator: 1n } }), 1);
  });

  it('are few if their cost is not fully known', () => {
    assert.equal(countLegs({ outPerUnit: null }), 10);
    assert.equal(
      countLegs({ outPerUnit: CHEAP, costs: { ...TRADE_COSTS, hasDataFees: true } }),
      10,
    );
  });
});

describe('a transaction with room for few bytes', () => {
  // Through the other token twice as much is paid as directly.
  const bytes = { command: 'swap', first: 300, next: 300, fromZeroLess: 50 };
  const shared = { sharer: 'program', bytes: 100 };
  const direct = createPair(1, [TOKEN, WETH], [DEEP, DEEP], { bytes });
  const createWay = (more: object) => [
    createPair(2, [OTHER, WETH], [DEEP * 2n, DEEP], { bytes: { ...bytes, ...more } }),
    createPair(3, [OTHER, TOKEN], [DEEP * 20n, DEEP * 20n], { bytes: { ...bytes, ...more } }),
  ];
  const ask = (pools: readonly GraphPool[], bytesMax: number) => {
    const costs = { ...TRADE_COSTS, bytesMax, fewBytesMax: bytesMax };
    const seen = pools.map((pool) => ({ pool }));
    return createQuestion(pools, { seen, costs, size: spend(1000n) });
  };

  it('takes a shorter route, even if it pays less', () => {
    const way = createWay({});
    assert.deepEqual(listRoutePools(ask([direct, ...way], 549)), listIds(direct));
    // One of the two swaps is from token 0.
    assert.deepEqual(listRoutePools(ask([direct, ...way], 550)), listIds(...way));
  });

  it('takes the shorter route for a given output, too, and only ways that can be given one', () => {
    const given = { bytes: { ...bytes, fixesOutput: true } };
    const near = createPair(1, [TOKEN, WETH], [DEEP, DEEP], given);
    const way = createWay({ fixesOutput: true });
    const askFor = (pools: readonly GraphPool[], bytesMax: number) =>
      listRoutePools({ ...ask(pools, bytesMax), size: pay(1000n) });
    assert.deepEqual(askFor([near, ...way], 549), listIds(near));
    assert.deepEqual(askFor([near, ...way], 550), listIds(...way));
    // WETH buys the token as token 1 for token 0; in the last pool it is the reverse.
    const oneWay = { ...bytes, fixesOutput: 'oneForZero' } as const;
    const buying = createPair(4, [TOKEN, WETH], [DEEP, DEEP], { bytes: oneWay });
    assert.deepEqual(askFor([buying], 999), listIds(buying));
    assert.equal(
      askFor([createPair(5, [WETH, TOKEN], [DEEP, DEEP], { bytes: oneWay })], 999),
      null,
    );
  });

  it('lists once what swaps share', () => {
    const way = createWay({ shared });
    assert.deepEqual(listRoutePools(ask([direct, ...way], 449)), listIds(direct));
    assert.deepEqual(listRoutePools(ask([direct, ...way], 450)), listIds(...way));
  });

  it('has no route if all are too long, and this is the reason', () => {
    const question = ask(createWay({ fixesOutput: true }), 549);
    for (const size of [question.size, pay(1000n)]) {
      const search = searchTrade(planTrade({ ...question, size }), new SearchWork());
      assert.deepEqual(search, { kind: 'none', reason: 'tooLong' });
    }
  });
});

describe('where every swap is told what to spend', () => {
  const costs = { ...TRADE_COSTS, fixesInputs: true };
  const size: GivenAmount = { ...spend(10n ** 15n), reserveBps: 25 };
  const direct = createPair(1, [TOKEN, WETH], [DEEP, DEEP]);
  /** Two hops that pay this much more than the direct pool, beside the fee of another hop. */
  const buildWay = (moreBps: bigint) => {
    const out = (DEEP * (10_000n + moreBps) * 1000n) / 997n / 10_000n;
    return [createPair(2, [OTHER, WETH], [DEEP, DEEP]), createPair(3, [TOKEN, OTHER], [out, DEEP])];
  };
  const find = (pools: readonly GraphPool[], more: Partial<RouteQuestion> = {}) => {
    const seen = pools.map((pool) => ({ pool }));
    return findRoute(createQuestion(pools, { seen, size, costs, ...more })) ?? assert.fail();
  };

  it('two hops must pay more than one by the reserve that they keep', () => {
    const market = (moreBps: bigint) => [direct, ...buildWay(moreBps)];
    const countHops = ({ route }: TaxedRoute) => route.legs.map(({ hops }) => hops.length);
    assert.deepEqual(countHops(find(market(20n))), [1]);
    assert.deepEqual(countHops(find(market(30n))), [2]);
    assert.deepEqual(countHops(find(market(20n), { costs: TRADE_COSTS })), [2]);
  });

  it('a swap spends less than the one before pays, by its share of the slippage', () => {
    const whole = find(buildWay(0n), { costs: TRADE_COSTS }).route;
    const { route, amountOut } = find(buildWay(0n));
    const [[first, second] = []] = route.legs.map(({ hops }) => hops);
    assert.equal(first?.amountIn, size.amountRaw);
    assert.equal(second?.amountIn, ((first?.amountOut ?? 0n) * 9975n) / 10_000n);
    assert.deepEqual(route.swapPaths[0]?.hops, [first, second]);
    assert.equal(whole.amountOut, amountOut + (route.keptBack ?? 0n));
    assert.equal(whole.keptBack, undefined);
  });
});
