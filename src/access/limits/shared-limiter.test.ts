// Pins what a process gives while the ledger is down: its share, in every way of charging.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { LimitSettler } from './limit-settler.ts';
import { SharedLimiter } from './shared-limiter.ts';

/** 60 units at once and 60 per minute, shared by three processes. */
const BUDGET = { policy: 'test', perMinute: 60, burst: 60 };
const NODES = 3;
const SHARE = BUDGET.burst / NODES;

function createLimiter() {
  const clock = new ManualClock();
  const fail = () => assert.fail('a ledger that is down is not asked');
  const ledger = { isUp: false, term: 0, settle: fail, takeStream: fail, putStreams: fail };
  const monotonicMs = () => clock.monotonicMs();
  const settler = new LimitSettler({ ledger, countNodes: () => NODES, monotonicMs });
  return {
    clock,
    limiter: new SharedLimiter({ budget: BUDGET, identitiesMax: 100, clock, settler }),
  };
}

test('without the ledger a refund gives back what was charged', () => {
  const { limiter } = createLimiter();
  assert.equal(limiter.takeNow('a', SHARE).allowed, true);
  assert.equal(limiter.takeNow('a', 1).allowed, false);
  limiter.giveBack('a', SHARE);
  assert.equal(limiter.takeNow('a', SHARE).allowed, true);
});

test('without the ledger work that was done is charged like other work', () => {
  const { limiter } = createLimiter();
  assert.equal(limiter.settle('a', SHARE - 1).remaining, 1);
  assert.equal(limiter.takeNow('a', 2).allowed, false);
  assert.equal(limiter.takeNow('a', 1).allowed, true);
  assert.equal(limiter.settle('a', -SHARE).remaining, SHARE);
});

test('without the ledger a wait suffices, also for more than a share', () => {
  for (const cost of [1, SHARE, SHARE + 10]) {
    const { clock, limiter } = createLimiter();
    assert.equal(limiter.takeNow('a', SHARE).allowed, true);
    const waitMs = limiter.computeWaitMs('a', cost);
    const refused = limiter.takeNow('a', cost);
    assert.deepEqual([refused.allowed, refused.resetMs], [false, waitMs]);
    clock.advance(waitMs - 1);
    assert.equal(limiter.takeNow('a', cost).allowed, false);
    clock.advance(1);
    assert.equal(limiter.takeNow('a', cost).allowed, true);
  }
});
