// The graph stays at the last commit that the feed announced, whatever feed and store do.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { buildCheckpoint, toAddress } from '../../../test/conformance/store-samples.ts';
import { buildCommit, buildPair, GraphScene } from '../../../test/graph-scene.ts';
import { poolId } from '../../../test/test-ids.ts';
import { encodeSchedule } from '../../amm/fee-schedule.ts';
import { encodeOpening } from '../../amm/pool-moment.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { Store } from '../../store/store.ts';
import type { PoolGraphFollower } from './pool-graph-follower.ts';

let scene: GraphScene;
let store: Store;
let follower: PoolGraphFollower;

beforeEach(async () => {
  scene = await GraphScene.create();
  ({ store, follower } = scene);
});

afterEach(() => scene.remove());

async function startAt(version: number): Promise<void> {
  await scene.commit(version, { pools: [buildPair(11, 100n), buildPair(12, 200n)] });
  follower.start();
  await follower.settled();
}

describe('PoolGraphFollower', () => {
  it('reads the store at the start', async () => {
    await startAt(1);
    assert.equal(follower.current?.checkpoint.version, 1);
    assert.deepEqual([scene.reserveOf(11), scene.reserveOf(12)], [100n, 200n]);
  });

  it('leaves out exchanges that cannot be traded in', async () => {
    follower = scene.open({ venues: new Set(['uniswap-v2']) });
    const fork = { ...buildPair(12, 200n), venue: 'sushiswap-v2' };
    await scene.commit(1, { pools: [buildPair(11, 100n), fork] });
    follower.start();
    await follower.settled();
    await scene.commit(2, { pools: [{ ...fork, pool: poolId(toAddress(13)) }] });
    follower.onBatch(buildCommit(2, [13]));
    await follower.settled();
    assert.deepEqual(
      [scene.reserveOf(11), scene.reserveOf(12), scene.reserveOf(13)],
      [100n, null, null],
    );
  });

  it('keeps a limited number of pools: those that hold most', async () => {
    const buildDeepPair = (number: number, usd: bigint) => ({
      ...buildPair(number, BigInt(number)),
      liquidityUsdE18: usd * 10n ** 18n,
    });
    const kept = () => [11, 12, 13, 14, 15, 16, 17].filter((one) => scene.reserveOf(one) !== null);
    follower = scene.open({ poolCountMax: 3 });
    const start = [
      buildDeepPair(11, 5n),
      buildDeepPair(12, 1n),
      buildDeepPair(13, 7n),
      buildPair(14, 14n),
      buildDeepPair(15, 6n),
    ];
    await scene.commit(1, { pools: start });
    follower.start();
    await follower.settled();
    assert.deepEqual(kept(), [11, 13, 15]);
    // Shallow pools are not added; a deep one replaces another.
    await scene.commit(2, { pools: [buildDeepPair(16, 2n), buildDeepPair(17, 50n)] });
    follower.onBatch(buildCommit(2, [16, 17]));
    await follower.settled();
    assert.deepEqual(kept(), [13, 15, 17]);
    assert.equal(follower.current?.checkpoint.version, 2);
  });

  it('waits for the first commit if the store is empty', async () => {
    follower.start();
    await follower.settled();
    assert.equal(follower.current, null);
    await scene.commit(1, { pools: [buildPair(11, 100n)] });
    follower.onBatch(buildCommit(1, [11]));
    await follower.settled();
    assert.equal(scene.reserveOf(11), 100n);
  });

  it('takes in what a commit touched', async () => {
    await startAt(1);
    await scene.commit(2, { pools: [buildPair(11, 101n), buildPair(13, 300n)] });
    assert.equal(scene.reserveOf(11), 100n);
    follower.onBatch(buildCommit(2, [11, 13]));
    await follower.settled();
    assert.equal(follower.current?.checkpoint.version, 2);
    assert.deepEqual(
      [scene.reserveOf(11), scene.reserveOf(12), scene.reserveOf(13)],
      [101n, 200n, 300n],
    );
  });

  it('is waited for until it has a commit that the feed did not announce yet', async () => {
    await startAt(1);
    await scene.commit(2, { pools: [buildPair(11, 101n)] });
    assert.equal(await follower.reach(1), true);
    const reached = follower.reach(2).then((isReached) => [isReached, scene.reserveOf(11)]);
    await follower.settled();
    assert.equal(scene.reserveOf(11), 100n);
    follower.onBatch(buildCommit(2, [11]));
    assert.deepEqual(await reached, [true, 101n]);
    await follower.stop();
    assert.equal(await follower.reach(3), false);
  });

  it('evaluates pools in the block of the last commit, whether it touched them or not', async () => {
    const schedule = encodeSchedule({
      ...{ mode: 'linear', clock: 'seconds', frequency: 1n, periods: 49n },
      // In the block of the first commit.
      start: 1_700_000_001n,
      ...{ reduction: 10_000_000n, cliff: 500_000_000n, added: 0n, rateMax: 990_000_000n },
    });
    const row = {
      ...buildPair(11, 100n),
      ...{ kind: 'singleRange', feePips: 500_000 },
      terms: { priceMin: 1n, priceMax: 1n << 100n, feeOn: 'output' },
      state: {
        ...{ sqrtPriceX64: 1n << 64n, wide: (10n ** 18n) << 64n, held0: 1n, held1: 1n },
        ...{ feeRate: 500_000_000n, flags: '', isDynamic: false, schedule, opens: '' },
      },
    } as PoolRecord;
    const opens = encodeOpening({ clock: 'block', from: 3, flag: 'closed' });
    const later = { ...row, pool: poolId(toAddress(12)), state: { ...row.state, opens } };
    await scene.commit(1, { pools: [row, later as PoolRecord] });
    follower.start();
    await follower.settled();
    const read = () =>
      [11, 12].map((one) => {
        const pool = follower.current?.graph.get(poolId(toAddress(one)));
        return pool?.curve.swapIn(true, 1_000_000n).amountOut ?? null;
      });
    assert.deepEqual(read(), [499_999n, null]);
    for (const [version, paid] of [
      [2, [509_999n, null]],
      [3, [519_999n, 519_999n]],
    ] as const) {
      await scene.commit(version, { pools: [] });
      follower.onBatch(buildCommit(version, []));
      await follower.settled();
      assert.deepEqual(read(), paid);
    }
    await scene.commit(4, { pools: [later as PoolRecord] });
    follower.onBatch(buildCommit(4, [12]));
    await follower.settled();
    assert.deepEqual(read(), [529_999n, 529_999n]);
  });

  it('shows nothing of a commit before the feed has published it', async () => {
    await startAt(1);
    await scene.commit(2, { pools: [buildPair(11, 101n)] });
    await scene.commit(3, { pools: [buildPair(11, 102n), buildPair(12, 202n)] });
    follower.onBatch(buildCommit(2, [11]));
    await follower.settled();
    // Pools 11 and 12 are at version 3 in the store: half of that would be an inconsistent state.
    assert.deepEqual([scene.reserveOf(11), scene.reserveOf(12)], [100n, 200n]);
    follower.onBatch(buildCommit(3, [11, 12]));
    await follower.settled();
    assert.deepEqual([scene.reserveOf(11), scene.reserveOf(12)], [102n, 202n]);
    assert.equal(follower.current?.checkpoint.version, 3);
  });

  it('reads everything after a missed commit', async () => {
    await startAt(1);
    await scene.commit(2, { pools: [buildPair(12, 202n)] });
    await scene.commit(3, { pools: [buildPair(11, 103n)] });
    follower.onBatch(buildCommit(3, [11]));
    await follower.settled();
    assert.deepEqual([scene.reserveOf(11), scene.reserveOf(12)], [103n, 202n]);
  });

  it('reads everything after a rollback with unknown changes', async () => {
    await startAt(1);
    await scene.commit(2, { pools: [buildPair(12, 202n)] });
    follower.onBatch(buildCommit(2, [], false));
    await follower.settled();
    assert.equal(scene.reserveOf(12), 202n);
  });

  it('ignores repeated commits', async () => {
    await startAt(1);
    await scene.commit(2, { pools: [buildPair(11, 102n)] });
    follower.onBatch(buildCommit(2, [11]));
    await follower.settled();
    const { graph } = follower.current ?? assert.fail();
    const before = graph.get(poolId(toAddress(11)));
    follower.onBatch(buildCommit(2, [11]));
    follower.onBatch(buildCommit(1, [11]));
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
    follower.onBatch(buildCommit(2, [13]));
    await follower.settled();
    assert.equal(scene.reserveOf(13), 300n);
    await store.market.transaction('devnet', async (transaction) => {
      await transaction.setCheckpoint({ ...buildCheckpoint(3), block: 1 });
      await transaction.undoAbove(1);
      await transaction.putPools([
        { ...buildPair(12, 0n), state: { reserve0: 0n, reserve1: 0n } } as PoolRecord,
      ]);
    });
    follower.onBatch(buildCommit(3, [12, 13]));
    await follower.settled();
    assert.deepEqual(
      [scene.reserveOf(11), scene.reserveOf(12), scene.reserveOf(13)],
      [100n, null, null],
    );
    const between = follower.current?.graph.between(toAddress(1), toAddress(2));
    assert.deepEqual([...(between ?? [])], [toAddress(11)]);
  });

  it('tries again when the store fails, and keeps what it has meanwhile', async () => {
    let failures = 2;
    const flaky = scene.wrapSnapshot((read) => {
      if (failures === 0) return read();
      failures -= 1;
      throw new Error('no disk');
    });
    follower = scene.open({ store: flaky });
    await startAt(1);
    assert.equal(scene.warnings.length, 1, 'once, however often it is tried');
    assert.equal(scene.reserveOf(11), 100n);
    failures = 2;
    await scene.commit(2, { pools: [buildPair(11, 101n)] });
    follower.onBatch(buildCommit(2, [11]));
    await follower.settled();
    assert.equal(failures, 0);
    assert.equal(scene.warnings.length, 2);
    assert.equal(scene.reserveOf(11), 101n);
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
    await scene.commit(1, { pools: [concentrated(21, true), concentrated(22, false)], ticks });
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
