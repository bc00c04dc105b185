// Liquidity by the documented rules, compared with the contents of the ticks.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestChain } from '../../../devnet/test-chain.ts';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { buildFakeAddress, COIN, FAKE_ASSETS } from '../../../test/fakes/fake-market.ts';
import {
  buildSwapEvent,
  createPool,
  createRange,
  indexEvents,
} from '../../../test/fakes/index-events.ts';
import { changePosition, initialize, setReserves } from '../../../test/fakes/pool-events.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { ConcentratedPoolState } from '../../amm/concentrated/concentrated-kind.ts';
import { toSqrtPriceX96 } from '../../amm/concentrated/sqrt-price-at-tick.ts';
import { computeAmount0Down, computeAmount1Down } from '../../amm/concentrated/sqrt-price-math.ts';
import { kindOf } from '../../amm/pool-kinds.ts';
import { requireMarkets } from '../../engines/chain-families.ts';
import { systemClock } from '../../lib/clock.ts';
import { sleep } from '../../lib/retry.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { Address } from '../../model/ids.ts';
import type { TickRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketStore } from '../../store/store.ts';
import { Indexer } from '../follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../follow/indexer-options.ts';

const E18 = 10n ** 18n;
const WETH = [...FAKE_ASSETS.native].find((asset) => asset !== COIN)!;
const USDC = [...FAKE_ASSETS.stable][0]!;
const TOKEN = buildFakeAddress('aaaa', 10);
const OTHER = buildFakeAddress('aaaa', 20);
const ANCHOR = FAKE_ASSETS.anchorPools[1]!;
const POOL = poolId(buildFakeAddress('dddd', 1));
const POOL2 = poolId(buildFakeAddress('dddd', 2));

/** One native coin is 2000 USD; the pool holds two million dollars on each side. */
const ANCHORED: readonly MarketEvent[] = [
  createPool(ANCHOR, [WETH, USDC]),
  setReserves(ANCHOR, 2_000_000n * 10n ** 6n, 1000n * E18),
];

type Index = Awaited<ReturnType<typeof indexEvents>>;

function ofToken(index: Index, token: string): bigint | null | undefined {
  return index.tokens.find((row) => row.token === token)?.liquidityUsdE18;
}

function ofPool(index: Index, pool: string): bigint | null | undefined {
  return index.pools.find((row) => row.pool === pool)?.liquidityUsdE18;
}

const USD = E18;

describe('a pool of a factory that nobody checked', () => {
  it('has no value, and adds nothing to its tokens, whatever it says of its reserves', async () => {
    const index = await indexEvents(
      ANCHORED,
      [createPool(POOL, [TOKEN, WETH]), setReserves(POOL, 10n ** 30n, 3n * E18)],
      [
        createPool(POOL2, [TOKEN, WETH], { venue: 'unchecked-fork' }),
        setReserves(POOL2, 10n ** 30n, 10n ** 30n),
      ],
    );
    assert.equal(ofPool(index, POOL2), null);
    assert.equal(ofToken(index, TOKEN), ofPool(index, POOL));
    assert.equal(ofPool(index, POOL), 12_000n * USD);
  });
});

describe('a constant-product pool', () => {
  it('counts twice what it holds of its quote asset, for both of its tokens', async () => {
    const index = await indexEvents(
      ANCHORED,
      [createPool(POOL, [TOKEN, WETH]), setReserves(POOL, 10n ** 30n, 3n * E18)],
      [setReserves(POOL, 10n ** 30n, 5n * E18)],
    );
    assert.equal(ofPool(index, POOL), 20_000n * USD);
    assert.equal(ofToken(index, TOKEN), 20_000n * USD);
    assert.equal(ofToken(index, WETH), 4_020_000n * USD);
    assert.equal(ofToken(index, USDC), 4_000_000n * USD);
  });

  it('is known to hold nothing when it is empty, and unknown without a price of its quote', async () => {
    const empty = await indexEvents(ANCHORED, [
      createPool(POOL, [TOKEN, WETH]),
      setReserves(POOL, 0n, 0n),
    ]);
    assert.equal(ofPool(empty, POOL), 0n);
    const unpriced = await indexEvents([
      createPool(POOL, [TOKEN, WETH]),
      setReserves(POOL, E18, E18),
    ]);
    assert.equal(ofPool(unpriced, POOL), null);
    assert.equal(ofToken(unpriced, TOKEN), null);
  });
});

describe('a concentrated pool', () => {
  const at = (tick: number) => initialize(POOL, tick);
  const position = (tickLower: number, tickUpper: number, liquidityDelta: bigint) =>
    changePosition(POOL, { tickLower, tickUpper, liquidityDelta });
  const holdingsOf = (index: { readonly pools: readonly PoolRecord[] }) => {
    const row = index.pools.find(({ pool }) => pool === POOL)!;
    return kindOf(row).holdings(row.state) ?? assert.fail();
  };

  it('counts nothing for the token alone', async () => {
    // TOKEN sorts before WETH: above the price there is only TOKEN.
    const index = await indexEvents(ANCHORED, [
      createRange(POOL, [TOKEN, WETH]),
      at(0),
      position(60, 6000, 10n ** 27n),
    ]);
    assert.ok(holdingsOf(index).amount0 > 10n ** 25n);
    assert.equal(ofPool(index, POOL), 0n);
  });

  it('counts the native coin alone once, and both sides at most twice', async () => {
    const below = await indexEvents(ANCHORED, [
      createRange(POOL, [TOKEN, WETH]),
      at(0),
      position(-600, -60, 10n ** 21n),
    ]);
    const { amount1 } = holdingsOf(below);
    assert.equal(ofPool(below, POOL), (amount1 * 2000n * USD) / E18);
    const around = await indexEvents(ANCHORED, [
      createRange(POOL, [TOKEN, WETH]),
      at(0),
      position(-600, 6000, 10n ** 21n),
    ]);
    const held = holdingsOf(around).amount1;
    assert.equal(ofPool(around, POOL), (2n * held * 2000n * USD) / E18);
  });

  it('equals what was put in, and is unknown for a pool older than the index', async () => {
    const index = await indexEvents(ANCHORED, [
      createRange(POOL, [TOKEN, WETH]),
      at(0),
      position(-600, 600, 10n ** 21n),
      position(-600, 600, -(10n ** 21n)),
    ]);
    const { amount0, amount1 } = holdingsOf(index);
    assert.ok(amount0 <= 1n && amount1 <= 1n, 'but for the rounding, which favours the pool');
    const created = createRange(POOL, [TOKEN, WETH]) as MarketEvent & object;
    const met = await indexEvents(ANCHORED, [
      { ...created, complete: false } as MarketEvent,
      at(0),
      position(-600, 600, 10n ** 21n),
    ]);
    assert.equal(ofPool(met, POOL), null);
  });
});

describe('a pool between two tokens', () => {
  const deep = [createPool(POOL, [TOKEN, WETH]), setReserves(POOL, 100n * E18, 10n * E18)];
  // A swap gives TOKEN its price of a tenth of the native coin: 200 USD.
  const priced = [...deep, buildSwapEvent(POOL, [10n * E18, -E18])];

  it('makes its token at most as liquid as the other one is', async () => {
    // OTHER sorts after TOKEN; the pool claims 1000 TOKEN on the other side.
    const pair = [createPool(POOL2, [TOKEN, OTHER]), setReserves(POOL2, 1000n * E18, 10n ** 24n)];
    const index = await indexEvents(ANCHORED, priced, pair);
    // TOKEN has 20,000 USD of native coin; a hundred times more of it counts for no more than that.
    assert.equal(ofToken(index, TOKEN), 40_000n * USD);
    assert.equal(ofPool(index, POOL2), 40_000n * USD);
    const other = index.tokens.find((row) => row.token === OTHER)!;
    assert.equal(other.liquidityUsdE18, null);
    assert.deepEqual([other.pairedPool, other.pairedUsdE18], [POOL2, 40_000n * USD]);
  });

  it('counts one such pool, however many there are', async () => {
    const many = Array.from({ length: 5 }, (_, number) => {
      const pool = poolId(buildFakeAddress('dddd', 10 + number));
      return [
        createPool(pool, [TOKEN, OTHER]),
        setReserves(pool, BigInt(number + 1) * E18, 10n ** 24n),
      ];
    }).flat();
    const index = await indexEvents(ANCHORED, priced, many);
    const other = index.tokens.find((row) => row.token === OTHER)!;
    assert.equal(other.pairedUsdE18, 2n * 5n * 200n * USD);
    assert.equal(ofToken(index, TOKEN), 40_000n * USD, 'and nothing for the one that backs them');
  });
});

/** What all positions hold at the pool's price, by the ticks. */
function walkTicks(state: ConcentratedPoolState, ticks: readonly TickRecord[]): [bigint, bigint] {
  let [amount0, amount1, liquidity] = [0n, 0n, 0n];
  const price = state.sqrtPriceX96!;
  ticks.forEach(({ tick, liquidityNet }, index) => {
    liquidity += liquidityNet;
    const next = ticks[index + 1];
    if (next === undefined) return;
    const clamp = (value: bigint) => {
      const [low, high] = [toSqrtPriceX96(tick), toSqrtPriceX96(next.tick)];
      return value < low ? low : value > high ? high : value;
    };
    const at = clamp(price);
    amount0 += computeAmount0Down(liquidity, at, toSqrtPriceX96(next.tick));
    amount1 += computeAmount1Down(liquidity, toSqrtPriceX96(tick), at);
  });
  return [amount0, amount1];
}

async function indexDevnet(store: MarketStore, stop: AbortSignal) {
  const chain = await startTestChain({ history: { blocks: 12, actionsPerBlock: 4 } });
  const source = {
    chain: 'devnet',
    endpoints: [chain.rpcUrl],
    devnet: chain.deployment,
    startBlock: null,
    instance: null,
  } as const;
  const log = { info: () => undefined, warn: () => undefined };
  const nodes = requireMarkets('devnet').open(source, { clock: systemClock, log });
  const adapter = nodes.createAdapter({
    knownPools: (pools) => store.readPools('devnet', pools),
    verification: 'linked',
  });
  const indexer = new Indexer({
    ...DEFAULT_INDEXER_OPTIONS,
    adapter,
    store,
    startBlock: chain.deployment.startBlock,
    pollIntervalMs: 15,
    headStallAfterMs: null,
    clock: systemClock,
    sleep,
    random: Math.random,
    log: { info: () => undefined, warn: () => undefined },
    onCommitted: () => undefined,
  });
  indexer.start();
  const head = await chain.readHead();
  while ((await store.readCheckpoint('devnet'))?.block !== head) await sleep(20, stop);
  await indexer.stop();
  await adapter.close();
  nodes.close();
  await chain.stop();
}

describe('the devnet', () => {
  it('has pools that hold what a walk over their ticks finds, and tokens that hold their sum', async (t) => {
    const place = await createSqlitePlace();
    const store = await place.open();
    t.after(async () => {
      await store.close();
      await place.remove();
    });
    await indexDevnet(store.market, t.signal);
    let compared = 0;
    const sums = new Map<Address, bigint>();
    for await (const pools of store.market.scanPools('devnet')) {
      for (const pool of pools) {
        for (const token of [pool.token0, pool.token1]) {
          sums.set(token, (sums.get(token) ?? 0n) + (pool.liquidityUsdE18 ?? 0n));
        }
        if (pool.kind !== 'concentrated') continue;
        const { custody } = pool.terms;
        if (custody.kind === 'singleton' && custody.hooks !== null) continue;
        const walked = walkTicks(pool.state, await store.market.readTicks('devnet', [pool.pool]));
        [pool.state.amount0!, pool.state.amount1!].forEach((carried, side) => {
          const found = walked[side]!;
          const difference = carried > found ? carried - found : found - carried;
          assert.ok(difference * 10n ** 9n <= found, `${pool.pool} ${carried} ${found}`);
        });
        compared += 1;
      }
    }
    assert.ok(compared > 5);
    const [weth] = await store.market.readTokens('devnet', [...sums.keys()].slice(0, 1));
    assert.ok(weth);
    assert.equal(weth.liquidityUsdE18, sums.get(weth.token));
  });
});
