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
  /** Whether the blocks are read as history. */
  readonly isHistory?: boolean;
}

function observe(courses: readonly Course[]): RateShortage | null {
  const need = new RateNeed();
  let [nowMs, head, block, followed, calls, refusals] = [0, 1000, 900, 0, 0, 0];
  let shortage: RateShortage | null = null;
  for (const { seconds, callsPerSecond = 20, isRefused = true, ...course } of courses) {
    for (let second = 0; second < seconds; second += 1) {
      nowMs += 1000;
      head += course.headPerSecond;
      const read = Math.min(head - block, course.blocksPerSecond);
      block += read;
      if (!course.isHistory) followed += read;
      calls += callsPerSecond;
      if (isRefused && second % 50 === 0) refusals += 1;
      // Blocks of a fifth of a second.
      const lagMs = (head - block) * 200;
      const status = { head, block, lagMs, followedBlocks: followed };
      shortage = need.observe({ nowMs, status, calls, refusals });
    }
  }
  return shortage;
}

const SLOW = { seconds: 300, headPerSecond: 5, blocksPerSecond: 2 };

test('a chain that is made faster than it is read names the rate that would do', () => {
  const shortage = observe([SLOW]);
  assert.ok(Math.abs((shortage?.neededPerSecond ?? 0) - 60) < 2, JSON.stringify(shortage));
  assert.match(describeShortage(shortage!), /take about 20 calls .* takes about (59|60|61)$/);
});

test('so does one that is kept up with only by going back to what is final', () => {
  // As at 6 calls a second, of which 10 would keep up: 600 blocks behind, for ever.
  const near = { seconds: 100, headPerSecond: 5, blocksPerSecond: 3, callsPerSecond: 6 };
  const history = { seconds: 5, headPerSecond: 5, blocksPerSecond: 45, isHistory: true };
  const cycle = [near, { ...history, callsPerSecond: 6 }];
  const behind = { seconds: 120, headPerSecond: 5, blocksPerSecond: 0, callsPerSecond: 0 };
  const shortage = observe([behind, ...cycle, ...cycle, ...cycle, near]);
  assert.ok(Math.abs((shortage?.neededPerSecond ?? 0) - 12) < 1, JSON.stringify(shortage));
});

test('so does one whose history is read no faster than it is made', () => {
  const shortage = observe([{ ...SLOW, isHistory: true }]);
  assert.ok(Math.abs((shortage?.neededPerSecond ?? 0) - 60) < 2, JSON.stringify(shortage));
});

test('so does one that is read as fast as it is made, which never catches up', () => {
  const start = { seconds: 60, headPerSecond: 5, blocksPerSecond: 0, callsPerSecond: 0 };
  const shortage = observe([start, { seconds: 300, headPerSecond: 5, blocksPerSecond: 5.5 }]);
  assert.ok(Math.abs((shortage?.neededPerSecond ?? 0) - 21.8) < 1, JSON.stringify(shortage));
});

test('so does one of which something is stored every other minute only', () => {
  const wait = { seconds: 100, headPerSecond: 5, blocksPerSecond: 0 };
  const commit = { seconds: 1, headPerSecond: 5, blocksPerSecond: 200 };
  const shortage = observe([wait, commit, wait, commit, wait, commit]);
  assert.ok(Math.abs((shortage?.neededPerSecond ?? 0) - 60) < 3, JSON.stringify(shortage));
});

test('catching up, being at the head and a limit that nobody met are no shortage', () => {
  assert.equal(observe([{ seconds: 300, headPerSecond: 1, blocksPerSecond: 2 }]), null);
  assert.equal(observe([{ seconds: 300, headPerSecond: 1, blocksPerSecond: 100 }]), null);
  assert.equal(observe([{ ...SLOW, isRefused: false }]), null);
});

test('neither is an outage, nor history that is read faster than it is made', () => {
  const outage = { seconds: 600, headPerSecond: 0, blocksPerSecond: 0, callsPerSecond: 0 };
  const jump = { seconds: 1, headPerSecond: 3000, blocksPerSecond: 0 };
  const history = { seconds: 300, headPerSecond: 5, blocksPerSecond: 9, isHistory: true };
  const near = { seconds: 100, headPerSecond: 5, blocksPerSecond: 8 };
  assert.equal(observe([outage, jump, history, near]), null);
  const short = { ...outage, seconds: 100, headPerSecond: 5, callsPerSecond: 0.2 };
  assert.equal(observe([history, short, { ...history, seconds: 30 }]), null);
});

test('once the index is at the head it is over', () => {
  assert.equal(observe([SLOW, { seconds: 300, headPerSecond: 5, blocksPerSecond: 50 }]), null);
});
