// The watch over pools: which it probes, when, and how many.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { createRandomMarket } from '../../../test/fakes/random-pools.ts';
import { address, poolId } from '../../../test/test-ids.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { type ProbeOutcome, SafetyWatch } from './safety-watch.ts';

const SHAPE = { poolCount: 12, assetCount: 6, noise: 0.01, concentratedShare: 0.5 };
const NOBODY = address('');
const CLEAN = { outBps: 0, inBps: 0, sellable: true };

function createScene(
  answer?: (pool: string) => ProbeOutcome | Error,
  probesAll = true,
  sleep: (ms: number) => Promise<void> = async () => undefined,
) {
  const { graph, pools } = createRandomMarket(createRandom(3), SHAPE);
  const clock = new ManualClock();
  const safetyCache = new SafetyCache();
  const looked: string[] = [];
  const errors: unknown[] = [];
  const watch = new SafetyWatch({
    safetyCache,
    readGraph: () => graph,
    probe: async (pool) => {
      looked.push(pool);
      await Promise.resolve();
      const outcome = answer?.(pool);
      if (outcome instanceof Error) throw outcome;
      const { token0, token1 } = graph.get(pool) ?? { token0: NOBODY, token1: NOBODY };
      const sides = { side0: CLEAN, side1: CLEAN, hookFees: null };
      const safety = { pool, token0, token1, ...sides, checkedAtMs: clock.nowMs() };
      return outcome ?? { status: 'measured', safety };
    },
    onMeasured: () => undefined,
    pauseMs: 0,
    probesAll: () => probesAll,
    clock,
    sleep,
    random: () => 0.5,
    onError: (error) => errors.push(error),
  });
  return { watch, safetyCache, clock, looked, errors, graph, ids: pools.map(({ pool }) => pool) };
}

test('every existing pool is probed once', async () => {
  const { watch, looked, ids, safetyCache } = createScene();
  watch.start();
  await watch.settled();
  assert.deepEqual([...looked].sort(), [...ids].sort());
  assert.equal(safetyCache.size, ids.length);
  watch.onPools(ids);
  watch.noteUse(ids);
  await watch.settled();
  assert.equal(looked.length, ids.length);
});

test('a pool whose state comes later is probed as soon as it is there', async () => {
  const { watch, looked, ids, graph } = createScene();
  watch.start();
  await watch.settled();
  const { pool: known } = graph.get(ids[0]!) ?? assert.fail();
  const late = poolId('0xlate');
  watch.noteAround([late]);
  await watch.settled();
  assert.ok(!looked.includes(late));
  graph.set({ ...(graph.get(known) ?? assert.fail()), pool: late });
  watch.noteAround([late]);
  await watch.settled();
  assert.equal(looked.at(-1), late);
});

test('requested pools come before others', async () => {
  const { watch, looked, ids } = createScene();
  watch.start();
  const last = ids.at(-1)!;
  // Two are under way already; the third is the first that can be chosen.
  watch.noteUse([last]);
  await watch.settled();
  assert.ok(looked.indexOf(last) <= 2, `${looked.indexOf(last)}`);
});

test('a pool is probed again after 2 minutes if requested, after 25 if it moves', async () => {
  const { watch, looked, ids, clock } = createScene();
  watch.start();
  await watch.settled();
  clock.advance(119_000);
  watch.noteUse(ids);
  await watch.settled();
  assert.equal(looked.length, ids.length);
  clock.advance(2_000);
  watch.onPools(ids.slice(0, 2));
  watch.noteUse(ids.slice(2, 3));
  await watch.settled();
  assert.deepEqual(looked.slice(ids.length), ids.slice(2, 3));
  clock.advance(24 * 60_000);
  watch.onPools(ids.slice(0, 2));
  await watch.settled();
  assert.deepEqual(looked.slice(ids.length + 1).sort(), ids.slice(0, 2).sort());
});

test('a pool that cannot be reached is skipped for a while', async () => {
  const { watch, looked, ids, clock, safetyCache } = createScene(() => ({ status: 'unreached' }));
  watch.start();
  await watch.settled();
  watch.onPools(ids);
  await watch.settled();
  assert.equal(looked.length, ids.length);
  assert.equal(safetyCache.size, 0);
  clock.advance(6 * 60_000);
  watch.onPools(ids);
  await watch.settled();
  assert.equal(looked.length, 2 * ids.length);
});

test('a node that cannot simulate is asked again only much later', async () => {
  const { watch, looked, ids, clock } = createScene(() => ({ status: 'unable' }));
  watch.start();
  await watch.settled();
  const first = looked.length;
  assert.ok(first <= 2);
  watch.onPools(ids);
  await watch.settled();
  assert.equal(looked.length, first);
  clock.advance(11 * 60_000);
  watch.onPools(ids);
  await watch.settled();
  assert.ok(looked.length > first);
});

test('failures back off, are reported, and lose no pool', async () => {
  let isDown = true;
  const { watch, looked, ids, clock, errors, safetyCache } = createScene(() =>
    isDown ? new Error('down') : (undefined as never),
  );
  watch.start();
  await watch.settled();
  assert.ok(looked.length <= 2);
  assert.equal(errors.length, looked.length);
  watch.noteUse(ids);
  await watch.settled();
  assert.ok(looked.length <= 2, 'it rests');
  isDown = false;
  clock.advance(60_000);
  watch.noteUse(ids.slice(0, 1));
  await watch.settled();
  assert.equal(safetyCache.size, ids.length);
});

test('a pool in doubt is probed at once after a failed trade or a request', async () => {
  const { watch, looked, ids, safetyCache, clock } = createScene();
  watch.start();
  await watch.settled();
  const [first, second] = ids;
  assert.ok(first !== undefined && second !== undefined);
  for (const look of [() => watch.recheck([first]), () => watch.noteUse([first])]) {
    looked.length = 0;
    look();
    await watch.settled();
    assert.deepEqual(looked, [], 'there is no doubt');
    safetyCache.doubt(first);
    look();
    look();
    await watch.settled();
    assert.deepEqual(looked, [first]);
    assert.equal(safetyCache.findDoubt(first), null);
    clock.advance(5_000);
  }
  safetyCache.doubt(second);
  watch.onPools([second]);
  await watch.settled();
  assert.equal(safetyCache.findDoubt(second), null);
});

test('a pool always in doubt is probed every 5 seconds, or every minute if not requested', async () => {
  const { watch, looked, ids, safetyCache, clock } = createScene();
  watch.start();
  await watch.settled();
  const pool = ids[0]!;
  for (const [look, times] of [
    [() => watch.recheck([pool]), 12],
    [() => watch.noteUse([pool]), 12],
    [() => watch.onPools([pool]), 1],
  ] as const) {
    clock.advance(60_000);
    looked.length = 0;
    for (let second = 0; second < 60; second += 1) {
      safetyCache.doubt(pool);
      look();
      await watch.settled();
      clock.advance(1000);
    }
    assert.equal(looked.length, times);
  }
});

test('a doubt that arises during a probe causes another one', async () => {
  let onLook = () => undefined as unknown;
  const scene = createScene(() => {
    onLook();
    return undefined as never;
  });
  const { watch, looked, ids, safetyCache } = scene;
  watch.start();
  await watch.settled();
  const pool = ids[0]!;
  looked.length = 0;
  onLook = () => {
    onLook = () => undefined;
    safetyCache.doubt(pool);
    watch.recheck([pool]);
  };
  scene.clock.advance(3 * 60_000);
  watch.noteUse([pool]);
  await watch.settled();
  assert.deepEqual(looked, [pool, pool]);
  assert.equal(safetyCache.findDoubt(pool), null);
});

test('what an earlier run measured is probed on request, not before', async () => {
  const { watch, looked, ids, safetyCache, clock } = createScene();
  for (const pool of ids) {
    const sides = { token0: NOBODY, token1: NOBODY, side0: CLEAN, side1: CLEAN, hookFees: null };
    safetyCache.restore({ pool, ...sides, checkedAtMs: clock.nowMs() });
  }
  watch.start();
  watch.onPools(ids);
  await watch.settled();
  assert.deepEqual(looked, []);
  watch.noteUse(ids.slice(0, 1));
  await watch.settled();
  assert.deepEqual(looked, ids.slice(0, 1));
});

test('whoever asks waits until measurements of an earlier run are renewed, or soon', async () => {
  let isLate = false;
  // Only the longest wait ends by itself.
  const sleep = (ms: number) =>
    ms < 1000 || isLate ? Promise.resolve() : new Promise<void>(() => undefined);
  const { watch, safetyCache, clock, graph, ids, looked } = createScene(undefined, false, sleep);
  const restore = () => {
    for (const pool of ids) {
      const { token0, token1 } = graph.get(pool) ?? assert.fail();
      const sides = { token0, token1, side0: CLEAN, side1: CLEAN, hookFees: null };
      safetyCache.restore({ pool, ...sides, checkedAtMs: clock.nowMs() });
    }
  };
  restore();
  const asked = ids.slice(0, 5);
  watch.noteUse(asked);
  await watch.renewed(asked);
  assert.deepEqual(
    asked.map((pool) => safetyCache.findDoubt(pool)),
    asked.map(() => null),
  );
  assert.deepEqual([...looked].sort(), [...asked].sort());
  // Nothing is to come of pools that nobody asked for, or of those that are measured.
  await watch.renewed(ids);
  await watch.settled();
  isLate = true;
  restore();
  clock.advance(10_000);
  watch.noteUse(asked);
  await watch.renewed(asked);
  assert.equal(safetyCache.findDoubt(asked.at(-1) ?? assert.fail()), 'unwatched');
  await watch.settled();
});

test('the queue is bounded', async () => {
  const { watch, ids } = createScene(() => ({ status: 'unable' }));
  watch.start();
  await watch.settled();
  watch.noteUse(Array.from({ length: 50_000 }, (_, index) => poolId(`0x${index}`)));
  // One queue for those that somebody asked for, one for those that were there.
  assert.ok(watch.queued <= 10_000 + ids.length, `${watch.queued}`);
  await watch.stop();
});

test('at a node that is not ours only pools that somebody asked about are looked at', async () => {
  const { watch, looked, ids, clock } = createScene(undefined, false);
  const [asked, around, ...others] = ids;
  assert.ok(asked !== undefined && around !== undefined);
  watch.start();
  watch.onPools(ids);
  await watch.settled();
  assert.deepEqual(looked, []);
  watch.noteUse([asked]);
  watch.noteAround([around]);
  await watch.settled();
  assert.deepEqual(looked, [asked, around]);
  // They stay in view for an hour: looked at again when they move.
  clock.advance(26 * 60_000);
  watch.onPools(ids);
  await watch.settled();
  assert.deepEqual(looked, [asked, around, asked, around]);
  clock.advance(60 * 60_000);
  watch.onPools(ids);
  await watch.settled();
  assert.equal(looked.length, 4);
  assert.ok(others.length > 0);
});

test('a pool that is asked for again stays in view for an hour from then', async () => {
  const { watch, looked, ids, clock } = createScene(undefined, false);
  const asked = ids.slice(0, 1);
  // The last request counts, even if others came just before it.
  for (const minutes of [0, 0.01, 40, 40]) {
    clock.advance(minutes * 60_000);
    watch.noteUse(asked);
    await watch.settled();
  }
  looked.length = 0;
  clock.advance(59 * 60_000);
  watch.onPools(ids);
  await watch.settled();
  assert.deepEqual(looked, asked);
});
