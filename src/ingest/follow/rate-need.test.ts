// When a rate counts as too low, and which one would do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeShortage, RateNeed, type RateShortage } from './rate-need.ts';

interface Course {
  readonly seconds: number;
  readonly headPerSecond: number;
  readonly blocksPerSecond: number;
  readonly callsPerSecond?: number;
  readonly isRefused?: boolean;
}

function observe(courses: readonly Course[]): RateShortage | null {
  const need = new RateNeed();
  let [nowMs, head, block, calls, refusals] = [0, 1000, 900, 0, 0];
  let shortage: RateShortage | null = null;
  for (const { seconds, callsPerSecond = 20, isRefused = true, ...course } of courses) {
    for (let second = 0; second < seconds; second += 1) {
      nowMs += 1000;
      head += course.headPerSecond;
      block = Math.min(head, block + course.blocksPerSecond);
      calls += callsPerSecond;
      if (isRefused && second % 50 === 0) refusals += 1;
      const sample = { nowMs, calls, refusals };
      shortage = need.observe({ ...sample, head: Math.floor(head), block: Math.floor(block) });
    }
  }
  return shortage;
}

test('a chain that is made faster than it is read names the rate that would do', () => {
  const shortage = observe([{ seconds: 300, headPerSecond: 5, blocksPerSecond: 2 }]);
  assert.ok(Math.abs((shortage?.neededPerSecond ?? 0) - 50) < 2, JSON.stringify(shortage));
  assert.match(describeShortage(shortage!), /take about 20 calls .* takes about (49|50|51)$/);
});

test('catching up, being at the head and a limit that nobody met are no shortage', () => {
  assert.equal(observe([{ seconds: 300, headPerSecond: 1, blocksPerSecond: 2 }]), null);
  assert.equal(observe([{ seconds: 300, headPerSecond: 1, blocksPerSecond: 100 }]), null);
  const slow = { seconds: 300, headPerSecond: 5, blocksPerSecond: 2, isRefused: false };
  assert.equal(observe([slow]), null);
});

test('an outage is none, and once the index keeps up it is over', () => {
  const outage = { seconds: 600, headPerSecond: 0, blocksPerSecond: 0 };
  const jump = { seconds: 1, headPerSecond: 3000, blocksPerSecond: 0 };
  assert.equal(
    observe([outage, jump, { seconds: 100, headPerSecond: 1, blocksPerSecond: 3 }]),
    null,
  );
  const short = { seconds: 300, headPerSecond: 5, blocksPerSecond: 2 };
  assert.equal(observe([short, { seconds: 300, headPerSecond: 5, blocksPerSecond: 50 }]), null);
});
