// Evidence against a measurement, how it is cleared, and what anybody can fake.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { createRandomMarket } from '../../../test/fakes/random-pools.ts';
import { address } from '../../../test/test-ids.ts';
import type { PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { PoolSafety, SideSafety } from '../../model/pool-safety.ts';
import type { TokenNotice } from '../../model/token-notice.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { SafetyEvidence } from './safety-evidence.ts';

const SHAPE = { poolCount: 12, assetCount: 6, noise: 0.01, concentratedShare: 0.5 };
const CLEAN: SideSafety = { outBps: 0, inBps: 0, sellable: true };
const TAXED: SideSafety = { outBps: 300, inBps: 0, sellable: true };
const TOPIC = `0x${'99'.repeat(32)}`;

function createScene({ isTrusted = false } = {}) {
  const { graph, pools } = createRandomMarket(createRandom(3), SHAPE);
  const clock = new ManualClock();
  const safetyCache = new SafetyCache();
  const asked: { pools: readonly string[]; isUrgent: boolean }[] = [];
  const [first] = pools;
  assert.ok(first);
  const { pool, token0: token, token1 } = first;
  const evidence = new SafetyEvidence({
    safetyCache,
    readGraph: () => graph,
    trusted: new Set(isTrusted ? [token, token1] : [token1]),
    clock,
    remeasure: (ids, isUrgent) => asked.push({ pools: ids, isUrgent }),
  });
  const buildSafety = (id: PoolId, side: SideSafety = CLEAN): PoolSafety => {
    const { token0, token1: other } = graph.get(id) ?? assert.fail();
    const sides = token0 === token ? { side0: side, side1: CLEAN } : { side0: CLEAN, side1: side };
    const checkedAtMs = clock.nowMs();
    return { pool: id, token0, token1: other, ...sides, hookFees: null, checkedAtMs };
  };
  /** Like the watch. */
  const measure = (id = pool, side: SideSafety = CLEAN) => {
    const before = safetyCache.get(id);
    const after = buildSafety(id, side);
    safetyCache.set(after);
    evidence.settle(before, after);
  };
  for (const one of pools) measure(one.pool);
  let block = 1;
  const notify = (...notices: TokenNotice[]) => {
    block += 1;
    const checkpoint = { timestampMs: clock.nowMs() } as Checkpoint;
    evidence.onBatch({ notices, isRollback: false, toBlock: block, checkpoint });
  };
  const buildEvent = (more: { isAdmin?: boolean; topics?: string[] } = {}): TokenNotice => {
    return { kind: 'event', token, topics: [TOPIC], isAdmin: false, ...more };
  };
  const ofToken = pools.filter((one) => one.token0 === token || one.token1 === token);
  return {
    evidence,
    safetyCache,
    clock,
    asked,
    pool,
    token,
    token1,
    ofToken,
    measure,
    notify,
    buildEvent,
  };
}

test('an event of the contract puts all pools of the token in doubt and probes them', () => {
  const { safetyCache, notify, buildEvent, ofToken, asked, measure, pool } = createScene();
  assert.ok(ofToken.length > 1);
  notify(buildEvent());
  for (const one of ofToken) assert.equal(safetyCache.findDoubt(one.pool), 'seen');
  assert.equal(asked.length, 1);
  assert.ok((asked[0]?.pools.length ?? 0) <= 5 && asked[0]?.isUrgent === false);
  measure(pool);
  assert.equal(safetyCache.findDoubt(pool), null);
  assert.equal(safetyCache.findDoubt(ofToken.at(-1)!.pool), 'seen', 'each is measured by itself');
});

test('a contract without pools is ignored', () => {
  const { notify, asked, safetyCache } = createScene();
  const before = safetyCache.doubtCount;
  notify({ kind: 'event', token: address(`0x${'77'.repeat(20)}`), topics: [TOPIC], isAdmin: true });
  assert.deepEqual([asked.length, safetyCache.doubtCount], [0, before]);
});

test('events refuted five times are ignored for an hour; those of owners never are', () => {
  const { safetyCache, notify, buildEvent, measure, pool, clock } = createScene();
  const isHeard = (notice: TokenNotice) => {
    notify(notice);
    const isDoubted = safetyCache.findDoubt(pool) === 'seen';
    if (isDoubted) measure(pool);
    return isDoubted;
  };
  const heard = Array.from({ length: 8 }, () => isHeard(buildEvent()));
  assert.deepEqual(heard, [true, true, true, true, true, false, false, false]);
  assert.equal(
    isHeard(buildEvent({ topics: [TOPIC, `0x${'98'.repeat(32)}`] })),
    true,
    'other talk',
  );
  for (let n = 0; n < 8; n += 1) assert.equal(isHeard(buildEvent({ isAdmin: true })), true);
  clock.advance(3_600_000);
  assert.equal(isHeard(buildEvent()), true);
});

test('events that came with a change still count', () => {
  const { safetyCache, notify, buildEvent, measure, pool } = createScene();
  for (let n = 0; n < 20; n += 1) {
    notify(buildEvent());
    assert.equal(safetyCache.findDoubt(pool), 'seen', `${n}`);
    measure(pool, n % 4 === 3 ? CLEAN : TAXED);
    measure(pool, CLEAN);
  }
});

test('of a trusted asset only the actions of its owners count', () => {
  const { safetyCache, notify, buildEvent, pool } = createScene({ isTrusted: true });
  notify(buildEvent());
  assert.equal(safetyCache.findDoubt(pool), null);
  notify(buildEvent({ isAdmin: true }));
  assert.equal(safetyCache.findDoubt(pool), 'seen');
});

test('an observed tax counts if it differs from the measured one', () => {
  const { safetyCache, notify, token, pool, ofToken, measure } = createScene();
  const buildTax = (bps: number, side: 'in' | 'out' = 'out'): TokenNotice => {
    return { kind: 'tax', token, pool, side, bps, payee: null };
  };
  measure(pool, TAXED);
  measure(pool, TAXED);
  notify(buildTax(300), buildTax(301));
  assert.equal(safetyCache.findDoubt(pool), null);
  for (const notice of [buildTax(305), buildTax(9000), buildTax(300, 'in')]) {
    notify(notice);
    for (const one of ofToken) assert.equal(safetyCache.findDoubt(one.pool), 'seen');
    measure(pool, TAXED);
    assert.equal(safetyCache.findDoubt(pool), null);
  }
});

test('a transfer of the payer to others puts one pool in doubt, five times an hour', () => {
  const { safetyCache, notify, token, pool, ofToken, measure } = createScene();
  const heard = Array.from({ length: 7 }, (_, index) => {
    notify({ kind: 'tax', token, pool, side: 'in', bps: 250, payee: address(`0x${index}`) });
    assert.equal(safetyCache.findDoubt(ofToken.at(-1)!.pool), null);
    const isDoubted = safetyCache.findDoubt(pool) !== null;
    measure(pool);
    return isDoubted;
  });
  assert.deepEqual(heard, [true, true, true, true, true, false, false]);
});

test('a failed rehearsal causes a probe at once, limited for each wallet', () => {
  const { evidence, safetyCache, asked, pool, measure } = createScene();
  const fail = (wallet: string) => {
    evidence.onFailure({ pools: [pool], wallet: address(wallet) });
    const isDoubted = safetyCache.findDoubt(pool) === 'seen';
    measure(pool);
    return isDoubted;
  };
  const heard = Array.from({ length: 7 }, () => fail('0x01'));
  assert.deepEqual(heard, [true, true, true, true, true, false, false]);
  assert.deepEqual(asked.at(-1), { pools: [pool], isUrgent: true });
  // Many of them cannot exceed the limit either.
  const others = Array.from({ length: 40 }, (_, index) => fail(`0x1${index}`));
  assert.equal(others.filter((isDoubted) => isDoubted).length, 15);
});

test('evidence that anybody can forge is bounded, and still counts', () => {
  const { evidence, safetyCache, notify, buildEvent, token, pool, measure } = createScene();
  for (let n = 0; n < 1000; n += 1) {
    notify(buildEvent({ topics: [`0x${n}`] }));
    evidence.onFailure({ pools: [pool], wallet: address(`0x${n}`) });
  }
  assert.deepEqual([evidence.countOpen(token), evidence.countOpen(pool)], [64, 64]);
  measure(pool);
  assert.deepEqual([evidence.countOpen(token), evidence.countOpen(pool)], [0, 0]);
  notify(buildEvent({ topics: ['0x999'] }));
  assert.equal(safetyCache.findDoubt(pool), 'seen');
});

test('the failure of a known trap is no evidence', () => {
  const { evidence, safetyCache, asked, pool, ofToken, measure } = createScene();
  const others = ofToken.filter((one) => one.pool !== pool);
  measure(pool, { outBps: 0, inBps: null, sellable: false });
  const before = asked.length;
  const other = others[0]!.pool;
  measure(other);
  evidence.onFailure({ pools: [pool, other], wallet: address('0x01') });
  assert.deepEqual([safetyCache.findDoubt(pool), asked.length], [null, before]);
  assert.equal(safetyCache.findDoubt(other), null, 'the trap explains it');
});

test('a change in one pool puts only the other pools of that token in doubt', () => {
  const { safetyCache, pool, ofToken, measure } = createScene();
  const others = ofToken.filter((one) => one.pool !== pool);
  measure(pool, { outBps: 0, inBps: null, sellable: false });
  assert.equal(safetyCache.findDoubt(pool), null);
  for (const one of others) assert.equal(safetyCache.findDoubt(one.pool), 'seen');
  // Measured the same again, nothing is doubted again.
  for (const one of others) measure(one.pool);
  measure(pool, { outBps: 0, inBps: null, sellable: false });
  for (const one of others) assert.equal(safetyCache.findDoubt(one.pool), null);
});

test('a token that cannot be bought is no evidence against an asset', () => {
  const { safetyCache, evidence, pool, token } = createScene();
  const before = safetyCache.get(pool) ?? assert.fail();
  const shut = { outBps: null, inBps: null, sellable: null };
  const after = { ...before, side0: { ...CLEAN, sellable: false }, side1: shut };
  const count = safetyCache.doubtCount;
  assert.equal(before.token0, token);
  safetyCache.set(after);
  evidence.settle(before, after);
  assert.equal(safetyCache.doubtCount, count);
});

test('unsearched blocks and missed commits end all exactness', () => {
  const { evidence, safetyCache, clock, pool, measure } = createScene();
  clock.advance(1000);
  const checkpoint = { timestampMs: clock.nowMs() + 5000 } as Checkpoint;
  evidence.onBatch({ notices: null, isRollback: false, toBlock: 9, checkpoint });
  assert.equal(safetyCache.findDoubt(pool), 'unwatched');
  clock.advance(1);
  measure(pool);
  assert.equal(
    safetyCache.findDoubt(pool),
    null,
    'a chain whose clock is ahead is no reason to wait',
  );
  evidence.onGap();
  assert.equal(safetyCache.findDoubt(pool), 'unwatched');
});

test('a rollback puts in doubt what was measured because of the removed blocks', () => {
  const { evidence, safetyCache, clock, notify, buildEvent, pool, measure } = createScene();
  notify(buildEvent({ isAdmin: true }));
  measure(pool);
  const checkpoint = { timestampMs: clock.nowMs() } as Checkpoint;
  evidence.onBatch({ notices: [], isRollback: true, toBlock: 2, checkpoint });
  assert.equal(safetyCache.findDoubt(pool), null, 'that block is still there');
  evidence.onBatch({ notices: [], isRollback: true, toBlock: 1, checkpoint });
  assert.equal(safetyCache.findDoubt(pool), 'seen');
});
