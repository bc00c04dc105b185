// The graph stays at the last commit that the feed announced, whatever feed and store do.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createSqlitePlace, type StorePlace } from '../../../test/conformance/store-place.ts';
import { buildCheckpoint, toAddress } from '../../../test/conformance/store-samples.ts';
import { PLAIN_RULES } from '../../../test/fakes/trade-costs.ts';
import { poolId } from '../../../test/test-ids.ts';
import { ConstantProductPool } from '../../amm/constant-product/constant-product-pool.ts';
import type { TickRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketStore, Store } from '../../store/store.ts';
import { PoolGraphFollower } from './pool-graph-follower.ts';

let place: StorePlace;
let store: Store;
let follower: PoolGraphFollower;
let warnings: string[];

function createFollower(
  market: MarketStore,
  options: { venues?: ReadonlySet<string>; poolCountMax?: number; askedTokensMax?: number } = {},
): PoolGraphFollower {
  return new PoolGraphFollower({
    ...options,
    chain: 'devnet',
    store: market,
    native: { coin: toAddress(0), wrapped: toAddress(9) },
    rules: PLAIN_RULES,
    trusted: new Set([toAddress(1)]),
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
    random: () => 0.5,
    log: { warn: (_fields, message) => warnings.push(message) },
  });
}

beforeEach(async () => {
  warnings = [];
  place = await createSqlitePlace();
  store = await place.open();
  follower = createFollower(store.market);
});

afterEach(async () => {
  await follower.stop();
  await store.close();
  await place.remove();
});

function buildPair(number: number, reserve0: bigint): PoolRecord {
  return {
    pool: poolId(toAddress(number)),
    kind: 'constantProduct',
    venue: 'uniswap-v2',
    token0: toAddress(1),
    token1: toAddress(2),
    feePips: 3000,
    vault: toAddress(number),
    terms: null,
    createdBlock: 1,
    createdAtMs: 1,
    complete: true,
    state: { reserve0, reserve1: 10n ** 20n },
    lastSwapAtMs: null,
    liquidityUsdE18: null,
  };
}

async function commit(
  version: number,
  rows: { readonly pools: readonly PoolRecord[]; readonly ticks?: readonly TickRecord[] },
): Promise<void> {
  await store.market.transaction('devnet', async (transaction) => {
    await transaction.setCheckpoint(buildCheckpoint(version));
    await transaction.putPools(rows.pools);
    await transaction.putTicks(rows.ticks ?? []);
  });
}

function buildCommit(version: number, pools: readonly number[], complete = true) {
  return { version, pools: pools.map((number) => poolId(toAddress(number))), complete };
}

function reserveOf(number: number): bigint | null {
  const curve = follower.current?.graph.get(poolId(toAddress(number)))?.curve;
  return curve instanceof ConstantProductPool ? curve.reserve0 : null;
}

async function startAt(version: number): Promise<void> {
  await commit(version, { pools: [buildPair(11, 100n), buildPair(12, 200n)] });
  follower.start();
  await follower.settled();
}

describe('PoolGraphFollower', () => {
  it('reads the store at the start', async () => {
    await startAt(1);
    assert.equal(follower.current?.checkpoint.version, 1);
    assert.deepEqual([reserveOf(11), reserveOf(12)], [100n, 200n]);
  });

  it('leaves out exchanges that cannot be traded in', async () => {
    follower = createFollower(store.market, { venues: new Set(['uniswap-v2']) });
    const fork = { ...buildPair(12, 200n), venue: 'sushiswap-v2' };
    await commit(1, { pools: [buildPair(11, 100n), fork] });
    follower.start();
    await follower.settled();
    await commit(2, { pools: [{ ...fork, pool: poolId(toAddress(13)) }] });
    follower.hear(buildCommit(2, [13]));
    await follower.settled();
    assert.deepEqual([reserveOf(11), reserveOf(12), reserveOf(13)], [100n, null, null]);
  });

  it('keeps a limited number of pools: those that hold most', async () => {
    const buildDeepPair = (number: number, usd: bigint) => ({
      ...buildPair(number, BigInt(number)),
      liquidityUsdE18: usd * 10n ** 18n,
    });
    const kept = () => [11, 12, 13, 14, 15, 16, 17].filter((one) => reserveOf(one) !== null);
    follower = createFollower(store.market, { poolCountMax: 3 });
    const start = [
      buildDeepPair(11, 5n),
      buildDeepPair(12, 1n),
      buildDeepPair(13, 7n),
      buildPair(14, 14n),
      buildDeepPair(15, 6n),
    ];
    await commit(1, { pools: start });
    follower.start();
    await follower.settled();
    assert.deepEqual(kept(), [11, 13, 15]);
    // Shallow pools are not added; a deep one replaces another.
    await commit(2, { pools: [buildDeepPair(16, 2n), buildDeepPair(17, 50n)] });
    follower.hear(buildCommit(2, [16, 17]));
    await follower.settled();
    assert.deepEqual(kept(), [13, 15, 17]);
    assert.equal(follower.current?.checkpoint.version, 2);
  });

  it('reads the pools of a token that were left out when somebody asks for it', async () => {
    const buildDeep = (number: number, usd: bigint, token1 = 2) => ({
      ...buildPair(number, BigInt(number)),
      ...{ token1: toAddress(token1), liquidityUsdE18: usd * 10n ** 18n },
    });
    const kept = () => [11, 12, 13, 14, 15, 16].filter((one) => reserveOf(one) !== null);
    follower = createFollower(store.market, { poolCountMax: 2 });
    const left = [buildDeep(13, 1n, 3), { ...buildDeep(14, 1n, 3), liquidityUsdE18: null }];
    await commit(1, { pools: [buildDeep(11, 5n), buildDeep(12, 4n), ...left, buildDeep(15, 1n)] });
    follower.start();
    await follower.settled();
    assert.deepEqual(kept(), [11, 12]);
    assert.equal(await follower.load([toAddress(3)]), true);
    assert.deepEqual(kept(), [11, 12, 13, 14]);
    // They stay through commits, through a reload, and for a token that nobody knows.
    await commit(2, { pools: [{ ...buildPair(13, 7n), token1: toAddress(3) }] });
    follower.hear(buildCommit(2, [13]));
    await follower.settled();
    assert.equal(reserveOf(13), 7n);
    follower.miss();
    await follower.settled();
    assert.equal(await follower.load([toAddress(3), toAddress(99)]), true);
    assert.deepEqual(kept(), [11, 12, 13, 14]);
  });

  it('reads also how a token that was left out leads on to a trusted asset', async () => {
    follower = createFollower(store.market, { poolCountMax: 1 });
    const deep = { ...buildPair(11, 1n), liquidityUsdE18: 10n ** 20n };
    const between = { ...buildPair(12, 2n), token0: toAddress(3), token1: toAddress(4) };
    const onward = { ...buildPair(13, 3n), token1: toAddress(3) };
    const aside = { ...buildPair(14, 4n), token0: toAddress(3), token1: toAddress(5) };
    await commit(1, { pools: [deep, between, onward, aside] });
    follower.start();
    await follower.settled();
    assert.equal(await follower.load([toAddress(4)]), true);
    assert.deepEqual([11, 12, 13, 14].map(reserveOf), [1n, 2n, 3n, null]);
  });

  it('forgets tokens that were asked for long ago, and finds pools that are new', async () => {
    follower = createFollower(store.market, { poolCountMax: 1, askedTokensMax: 2 });
    const deep = { ...buildPair(10, 1n), liquidityUsdE18: 10n ** 20n };
    const left = [3, 4, 5].map((one) => ({ ...buildPair(10 + one, 1n), token1: toAddress(one) }));
    await commit(1, { pools: [deep, ...left] });
    follower.start();
    await follower.settled();
    for (const one of [3, 4, 5]) assert.equal(await follower.load([toAddress(one)]), true);
    assert.deepEqual([13, 14, 15].map(reserveOf), [null, 1n, 1n]);
    await commit(2, { pools: [{ ...buildPair(16, 6n), token1: toAddress(5) }] });
    for (let version = 2; version <= 22; version += 1) {
      if (version > 2) await commit(version, { pools: [] });
      follower.hear(buildCommit(version, version === 2 ? [16] : []));
      await follower.settled();
    }
    assert.equal(await follower.load([toAddress(5)]), true);
    assert.deepEqual([14, 15, 16].map(reserveOf), [1n, 1n, 6n]);
    assert.deepEqual(warnings, []);
  });

  it('does not mix commits when it reads the pools of a token', async () => {
    follower = createFollower(store.market, { poolCountMax: 1 });
    const deep = { ...buildPair(11, 100n), liquidityUsdE18: 10n ** 20n };
    const left = { ...buildPair(12, 200n), token1: toAddress(3) };
    await commit(1, { pools: [deep, left] });
    follower.start();
    await follower.settled();
    // The store is ahead of the feed, which has not named the pools of this commit yet.
    await commit(2, { pools: [{ ...buildPair(11, 1n), liquidityUsdE18: 10n ** 20n }] });
    assert.equal(await follower.load([toAddress(3)]), false);
    assert.deepEqual([reserveOf(11), reserveOf(12)], [100n, null]);
    follower.hear(buildCommit(2, [11]));
    await follower.settled();
    assert.deepEqual([reserveOf(11), reserveOf(12)], [1n, 200n]);
  });

  it('waits for the first commit if the store is empty', async () => {
    follower.start();
    await follower.settled();
    assert.equal(follower.current, null);
    await commit(1, { pools: [buildPair(11, 100n)] });
    follower.hear(buildCommit(1, [11]));
    await follower.settled();
    assert.equal(reserveOf(11), 100n);
  });

  it('takes in what a commit touched', async () => {
    await startAt(1);
    await commit(2, { pools: [buildPair(11, 101n), buildPair(13, 300n)] });
    assert.equal(reserveOf(11), 100n);
    follower.hear(buildCommit(2, [11, 13]));
    await follower.settled();
    assert.equal(follower.current?.checkpoint.version, 2);
    assert.deepEqual([reserveOf(11), reserveOf(12), reserveOf(13)], [101n, 200n, 300n]);
  });

  it('shows nothing of a commit before the feed has published it', async () => {
    await startAt(1);
    await commit(2, { pools: [buildPair(11, 101n)] });
    await commit(3, { pools: [buildPair(11, 102n), buildPair(12, 202n)] });
    follower.hear(buildCommit(2, [11]));
    await follower.settled();
    // Pools 11 and 12 are at version 3 in the store: half of that would be an inconsistent state.
    assert.deepEqual([reserveOf(11), reserveOf(12)], [100n, 200n]);
    follower.hear(buildCommit(3, [11, 12]));
    await follower.settled();
    assert.deepEqual([reserveOf(11), reserveOf(12)], [102n, 202n]);
    assert.equal(follower.current?.checkpoint.version, 3);
  });

  it('reads everything after a missed commit', async () => {
    await startAt(1);
    await commit(2, { pools: [buildPair(12, 202n)] });
    await commit(3, { pools: [buildPair(11, 103n)] });
    follower.hear(buildCommit(3, [11]));
    await follower.settled();
    assert.deepEqual([reserveOf(11), reserveOf(12)], [103n, 202n]);
  });

  it('reads everything after a rollback with unknown changes', async () => {
    await startAt(1);
    await commit(2, { pools: [buildPair(12, 202n)] });
    follower.hear(buildCommit(2, [], false));
    await follower.settled();
    assert.equal(reserveOf(12), 202n);
  });

  it('ignores repeated commits', async () => {
    await startAt(1);
    await commit(2, { pools: [buildPair(11, 102n)] });
    follower.hear(buildCommit(2, [11]));
    await follower.settled();
    const { graph } = follower.current ?? assert.fail();
    const before = graph.get(poolId(toAddress(11)));
    follower.hear(buildCommit(2, [11]));
    follower.hear(buildCommit(1, [11]));
    await follower.settled();
    assert.equal(graph.get(poolId(toAddress(11))), before);
    assert.equal(graph, follower.current?.graph);
  });

  it('drops a pool whose creation was rolled back, and one that was emptied', async () => {
    await startAt(1);
    const created = { ...buildPair(13, 300n), createdBlock: 2 };
    await store.market.transaction('devnet', async (transaction) => {
      await transaction.setCheckpoint(buildCheckpoint(2));
      await transaction.putPools([created]);
      const pools = new Map([[created.pool, null]]);
      const none = { tokens: new Map(), ticks: [], balances: [], positions: [] };
      await transaction.putUndo([{ block: 2, pools, ...none }]);
    });
    follower.hear(buildCommit(2, [13]));
    await follower.settled();
    assert.equal(reserveOf(13), 300n);
    await store.market.transaction('devnet', async (transaction) => {
      await transaction.setCheckpoint({ ...buildCheckpoint(3), block: 1 });
      await transaction.undoAbove(1);
      await transaction.putPools([
        { ...buildPair(12, 0n), state: { reserve0: 0n, reserve1: 0n } } as PoolRecord,
      ]);
    });
    follower.hear(buildCommit(3, [12, 13]));
    await follower.settled();
    assert.deepEqual([reserveOf(11), reserveOf(12), reserveOf(13)], [100n, null, null]);
    const between = follower.current?.graph.between(toAddress(1), toAddress(2));
    assert.deepEqual([...(between ?? [])], [toAddress(11)]);
  });

  it('tries again when the store fails, and keeps what it has meanwhile', async () => {
    let failures = 2;
    const flaky = new Proxy(store.market, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (name === 'snapshot' && warnings.length < failures) throw new Error('no disk');
          return value.apply(target, args);
        };
      },
    });
    follower = createFollower(flaky);
    await startAt(1);
    assert.equal(warnings.length, 2);
    assert.equal(reserveOf(11), 100n);
    failures = 4;
    await commit(2, { pools: [buildPair(11, 101n)] });
    follower.hear(buildCommit(2, [11]));
    await follower.settled();
    assert.equal(warnings.length, 4);
    assert.equal(reserveOf(11), 101n);
  });

  it('loads ticks with their pool, and says of an incomplete one that it is not exact', async () => {
    const price = { sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 18n, tick: 0 };
    const concentrated = (number: number, complete: boolean): PoolRecord => ({
      ...buildPair(number, 0n),
      venue: 'uniswap-v3',
      kind: 'concentrated',
      terms: { tickSpacing: 60, custody: { kind: 'own' } },
      state: { ...price, protocolFee: 0, amount0: null, amount1: null },
      complete,
    });
    const ticks = [-60, 60].map((tick) => ({
      pool: poolId(toAddress(21)),
      tick,
      liquidityGross: 10n ** 18n,
      liquidityNet: tick < 0 ? 10n ** 18n : -(10n ** 18n),
    }));
    await commit(1, { pools: [concentrated(21, true), concentrated(22, false)], ticks });
    follower.start();
    await follower.settled();
    const { graph } = follower.current ?? assert.fail();
    const [whole, partial] = [graph.get(poolId(toAddress(21))), graph.get(poolId(toAddress(22)))];
    assert.deepEqual([whole?.inexact, partial?.inexact], [null, 'ticks']);
    // Beyond its ticks the complete pool is empty, and the other is unknown.
    const swapMost = (pool: typeof whole, zeroForOne: boolean) =>
      pool?.curve.swapIn(zeroForOne, 10n ** 20n);
    for (const zeroForOne of [true, false]) {
      const [all, known] = [swapMost(whole, zeroForOne), swapMost(partial, zeroForOne)];
      assert.deepEqual([all?.isFilled, known?.isFilled], [false, false]);
      // At tick 0 the next tick below is that of the price itself.
      assert.equal(known?.amountOut, zeroForOne ? 0n : all?.amountOut);
    }
  });
});
