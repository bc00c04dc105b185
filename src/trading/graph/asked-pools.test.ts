// Pools that were left out of the graph and then asked for: they come beside the deepest pools,
// which stay, and nobody waits for them for long.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { toAddress } from '../../../test/conformance/store-samples.ts';
import { buildCommit, buildPair, GraphScene } from '../../../test/graph-scene.ts';

let scene: GraphScene;

beforeEach(async () => {
  scene = await GraphScene.create();
});

afterEach(() => scene.remove());

function buildDeep(number: number, usd: bigint, token1 = 2) {
  const deep = { token1: toAddress(token1), liquidityUsdE18: usd * 10n ** 18n };
  return { ...buildPair(number, BigInt(number)), ...deep };
}

function listKept(numbers: readonly number[]): readonly number[] {
  return numbers.filter((one) => scene.reserveOf(one) !== null);
}

describe('pools that were asked for', () => {
  it('reads the pools of a token that were left out when somebody asks for it', async () => {
    const kept = () => listKept([11, 12, 13, 14, 15, 16]);
    const follower = scene.open({ poolCountMax: 2 });
    const left = [buildDeep(13, 1n, 3), { ...buildDeep(14, 1n, 3), liquidityUsdE18: null }];
    await scene.commit(1, {
      pools: [buildDeep(11, 5n), buildDeep(12, 4n), ...left, buildDeep(15, 1n)],
    });
    follower.start();
    await follower.settled();
    assert.deepEqual(kept(), [11, 12]);
    assert.equal(await follower.load([toAddress(3)]), true);
    assert.deepEqual(kept(), [11, 12, 13, 14]);
    // They stay through commits, through a reload, and for a token that nobody knows.
    await scene.commit(2, { pools: [{ ...buildPair(13, 7n), token1: toAddress(3) }] });
    follower.onBatch(buildCommit(2, [13]));
    await follower.settled();
    assert.equal(scene.reserveOf(13), 7n);
    follower.onGap();
    await follower.settled();
    assert.equal(await follower.load([toAddress(3), toAddress(99)]), true);
    assert.deepEqual(kept(), [11, 12, 13, 14]);
  });

  it('reads also how a token that was left out leads on to a trusted asset', async () => {
    const follower = scene.open({ poolCountMax: 1 });
    const deep = { ...buildPair(11, 1n), liquidityUsdE18: 10n ** 20n };
    const between = { ...buildPair(12, 2n), token0: toAddress(3), token1: toAddress(4) };
    const onward = { ...buildPair(13, 3n), token1: toAddress(3) };
    const aside = { ...buildPair(14, 4n), token0: toAddress(3), token1: toAddress(5) };
    await scene.commit(1, { pools: [deep, between, onward, aside] });
    follower.start();
    await follower.settled();
    assert.equal(await follower.load([toAddress(4)]), true);
    assert.deepEqual(
      [11, 12, 13, 14].map((one) => scene.reserveOf(one)),
      [1n, 2n, 3n, null],
    );
  });

  it('forgets tokens that were asked for long ago, and finds pools that are new', async () => {
    const follower = scene.open({ poolCountMax: 1, askedTokensMax: 2 });
    const deep = { ...buildPair(10, 1n), liquidityUsdE18: 10n ** 20n };
    const left = [3, 4, 5].map((one) => ({ ...buildPair(10 + one, 1n), token1: toAddress(one) }));
    await scene.commit(1, { pools: [deep, ...left] });
    follower.start();
    await follower.settled();
    for (const one of [3, 4, 5]) assert.equal(await follower.load([toAddress(one)]), true);
    assert.deepEqual(
      [13, 14, 15].map((one) => scene.reserveOf(one)),
      [null, 1n, 1n],
    );
    await scene.commit(2, { pools: [{ ...buildPair(16, 6n), token1: toAddress(5) }] });
    for (let version = 2; version <= 22; version += 1) {
      if (version > 2) await scene.commit(version, { pools: [] });
      follower.onBatch(buildCommit(version, version === 2 ? [16] : []));
      await follower.settled();
    }
    assert.equal(await follower.load([toAddress(5)]), true);
    assert.deepEqual(
      [14, 15, 16].map((one) => scene.reserveOf(one)),
      [1n, 1n, 6n],
    );
    assert.deepEqual(scene.warnings, []);
  });

  it('does not mix commits when it reads the pools of a token', async () => {
    const follower = scene.open({ poolCountMax: 1, loadMaxMs: 1001 });
    const deep = { ...buildPair(11, 100n), liquidityUsdE18: 10n ** 20n };
    const left = { ...buildPair(12, 200n), token1: toAddress(3) };
    await scene.commit(1, { pools: [deep, left] });
    follower.start();
    await follower.settled();
    // The store is ahead of the feed, which has not named the pools of this commit yet.
    await scene.commit(2, { pools: [{ ...buildPair(11, 1n), liquidityUsdE18: 10n ** 20n }] });
    assert.equal(await follower.load([toAddress(3)]), false);
    assert.deepEqual([scene.reserveOf(11), scene.reserveOf(12)], [100n, null]);
    follower.onBatch(buildCommit(2, [11]));
    await follower.settled();
    assert.deepEqual([scene.reserveOf(11), scene.reserveOf(12)], [1n, 200n]);
  });

  it('never push out the deepest pools, however many are asked for', async () => {
    const follower = scene.open({ poolCountMax: 3, askedTokensMax: 4 });
    const deep = [buildDeep(11, 900n), buildDeep(12, 800n), buildDeep(13, 700n)];
    const tokens = Array.from({ length: 30 }, (_, index) => 100 + index);
    const shallow = tokens.map((token) => buildDeep(1000 + token, 1n, token));
    await scene.commit(1, { pools: [...deep, ...shallow] });
    follower.start();
    await follower.settled();
    for (const token of tokens) {
      assert.equal(await follower.load([toAddress(token)]), true);
      assert.deepEqual(listKept([11, 12, 13]), [11, 12, 13], `${token}`);
      assert.notEqual(scene.reserveOf(1000 + token), null);
    }
    const all = tokens.map((token) => 1000 + token);
    assert.deepEqual(listKept(all), all.slice(-4));
    follower.onGap();
    await follower.settled();
    assert.deepEqual(listKept([11, 12, 13, ...all]), [11, 12, 13, ...all.slice(-4)]);
  });

  it('stay if they have become deep, also when their token is forgotten or read again', async () => {
    // So many that one more is not too many.
    const numbers = Array.from({ length: 10 }, (_, index) => 21 + index);
    const follower = scene.open({ poolCountMax: 10, askedTokensMax: 1 });
    const left = [buildDeep(13, 1n, 3), buildDeep(14, 1n, 4)];
    await scene.commit(1, { pools: [...numbers.map((one) => buildDeep(one, 500n)), ...left] });
    follower.start();
    await follower.settled();
    assert.equal(await follower.load([toAddress(3)]), true);
    await scene.commit(2, { pools: [buildDeep(13, 9000n, 3)] });
    follower.onBatch(buildCommit(2, [13]));
    await follower.settled();
    assert.equal(await follower.load([toAddress(4)]), true);
    assert.deepEqual(listKept([13, 14, ...numbers]), [13, 14, ...numbers]);
    assert.equal(await follower.load([toAddress(3)]), true);
    assert.deepEqual(listKept([13, 14, ...numbers]), [13, ...numbers]);
  });

  it('are read again when others have become too shallow for the graph', async () => {
    const follower = scene.open({ poolCountMax: 2 });
    const left = [buildDeep(13, 1n, 3), buildDeep(14, 300n, 3)];
    await scene.commit(1, { pools: [buildDeep(11, 500n), ...left] });
    follower.start();
    await follower.settled();
    assert.equal(await follower.load([toAddress(3)]), true);
    assert.deepEqual(listKept([11, 13, 14]), [11, 13, 14]);
    // Two deeper ones: the one with 300 USD no longer is among the deepest.
    await scene.commit(2, { pools: [buildDeep(15, 600n), buildDeep(16, 700n)] });
    follower.onBatch(buildCommit(2, [15, 16]));
    follower.onGap();
    await follower.settled();
    assert.equal(await follower.load([toAddress(3)]), true);
    assert.deepEqual(listKept([11, 13, 14, 15, 16]), [13, 14, 15, 16]);
  });

  it('stay if they are among the deepest because others are shallower now', async () => {
    const follower = scene.open({ poolCountMax: 2 });
    await scene.commit(1, {
      pools: [buildDeep(11, 100n), buildDeep(12, 60n), buildDeep(13, 50n, 3)],
    });
    follower.start();
    await follower.settled();
    assert.equal(await follower.load([toAddress(3)]), true);
    await scene.commit(2, { pools: [buildDeep(12, 40n)] });
    follower.onBatch(buildCommit(2, [12]));
    follower.onGap();
    await follower.settled();
    for (const version of Array.from({ length: 30 }, (_, index) => 3 + index)) {
      await scene.commit(version, { pools: [buildDeep(11, 100n)] });
      follower.onBatch(buildCommit(version, [11]));
      await follower.settled();
    }
    assert.equal(await follower.load([toAddress(3)]), true);
    assert.deepEqual(listKept([11, 13]), [11, 13]);
  });

  it('are waited for as long as the limit, if the store hangs, and are there later', async () => {
    let isHanging = false;
    let resume: () => void = () => undefined;
    const market = scene.wrapSnapshot(async (read) => {
      if (isHanging) await new Promise<void>((resolve) => (resume = resolve));
      return read();
    });
    const follower = scene.open({ store: market, poolCountMax: 1, loadMaxMs: 1001 });
    await scene.commit(1, { pools: [buildDeep(11, 9n), buildDeep(12, 1n, 3)] });
    follower.start();
    await follower.settled();
    isHanging = true;
    assert.equal(await follower.load([toAddress(3)]), false);
    assert.deepEqual(listKept([11, 12]), [11]);
    isHanging = false;
    resume();
    assert.equal(await follower.load([toAddress(3)]), true);
    assert.deepEqual(listKept([11, 12]), [11, 12]);
  });

  it('are waited for as long as the limit, if the store fails', async () => {
    let isBroken = false;
    const market = scene.wrapSnapshot((read) => {
      if (isBroken) throw new Error('no disk');
      return read();
    });
    const follower = scene.open({ store: market, poolCountMax: 1, loadMaxMs: 1001 });
    await scene.commit(1, { pools: [buildDeep(11, 9n), buildDeep(12, 1n, 3)] });
    follower.start();
    await follower.settled();
    isBroken = true;
    assert.equal(await follower.load([toAddress(3)]), false);
    isBroken = false;
    await follower.settled();
    assert.deepEqual(listKept([11, 12]), [11, 12]);
  });

  it('are there before commits stop', async () => {
    const follower = scene.open({ poolCountMax: 1, loadMaxMs: 60_000 });
    await scene.commit(1, { pools: [buildDeep(11, 9n), buildDeep(12, 1n, 3)] });
    follower.start();
    await follower.settled();
    let isOver = false;
    const committing = (async () => {
      for (let version = 2; !isOver && version < 5000; version += 1) {
        await scene.commit(version, { pools: [] });
        follower.onBatch(buildCommit(version, []));
        await setImmediate();
      }
      return isOver;
    })();
    assert.equal(await follower.load([toAddress(3)]), true);
    isOver = true;
    assert.equal(await committing, true);
    assert.deepEqual(listKept([11, 12]), [11, 12]);
  });
});
