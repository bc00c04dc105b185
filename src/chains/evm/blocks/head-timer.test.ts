// Polls come about when blocks do: few are too early, and none is late by much.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHeader, toHash } from '../../../../test/conformance/store-samples.ts';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { HeadTimer } from './head-timer.ts';

const SHORTEST_MS = 1000;

/** Polls a chain whose blocks arrive late by some of `jitterMs`; all times are simulated. */
function simulate(chain: { intervalMs: number; jitterMs: number; skewMs: number; blocks: number }) {
  const random = createRandom(7);
  const timer = new HeadTimer();
  const arrivals = Array.from({ length: chain.blocks }, (_, n) => ({
    timestampMs: n * chain.intervalMs,
    atMs: n * chain.intervalMs + chain.skewMs + 300 + random() * chain.jitterMs,
  }));
  let nowMs = arrivals[0]!.atMs;
  let polls = 0;
  let seen = -1;
  const lateMs: number[] = [];
  while (seen < chain.blocks - 1) {
    polls += 1;
    const head = arrivals.findLastIndex(({ atMs }) => atMs <= nowMs);
    if (head > seen) {
      lateMs.push(nowMs - arrivals[head]!.atMs);
      seen = head;
    }
    const { timestampMs } = arrivals[Math.max(0, head)]!;
    const header = { ...buildHeader(Math.max(0, head)), timestampMs, hash: toHash(head + 1) };
    timer.observe(header, nowMs);
    nowMs += timer.computeWaitMs(nowMs, SHORTEST_MS);
  }
  const half = lateMs.slice(lateMs.length / 2).sort((a, b) => a - b);
  return { pollsPerBlock: polls / chain.blocks, medianLateMs: half[half.length >> 1] ?? 0 };
}

test('at most two polls a block, and half of the blocks are seen within an eighth', () => {
  for (const intervalMs of [2000, 3000, 12_000]) {
    for (const skewMs of [-5000, 0, 5000]) {
      const jitterMs = intervalMs / 10;
      const { pollsPerBlock, medianLateMs } = simulate({
        intervalMs,
        jitterMs,
        skewMs,
        blocks: 400,
      });
      assert.ok(pollsPerBlock <= 2, `${intervalMs}: ${pollsPerBlock} polls`);
      assert.ok(medianLateMs <= intervalMs / 8, `${intervalMs}: ${medianLateMs} ms late`);
    }
  }
});

test('a chain that is faster than polls is polled at the shortest interval', () => {
  const { pollsPerBlock } = simulate({ intervalMs: 250, jitterMs: 50, skewMs: 0, blocks: 400 });
  assert.ok(pollsPerBlock <= 0.3, `${pollsPerBlock}`);
});

test('on a fast chain, the time that blocks took to read is part of the interval', () => {
  const timer = new HeadTimer();
  const first = buildHeader(1);
  const next = { ...buildHeader(6), timestampMs: first.timestampMs + 1000 };
  timer.observe(first, 100, 0);
  timer.observe(next, 1100, 1000);
  assert.equal(timer.computeWaitMs(1400, SHORTEST_MS), 600);
  assert.equal(timer.computeWaitMs(5000, SHORTEST_MS), 250, 'a slow node is given a rest');
});

test('announced blocks wait for each other only where they are faster than a reading', () => {
  for (const [blockMs, pauseMs] of [
    [200, 300],
    [2000, 0],
  ] as const) {
    const timer = new HeadTimer();
    const first = buildHeader(1);
    assert.equal(timer.computePauseMs(0), 0);
    timer.observe(first, 0);
    timer.observe({ ...buildHeader(6), timestampMs: first.timestampMs + 5 * blockMs }, 1000);
    assert.equal(timer.computePauseMs(1100), pauseMs);
    assert.equal(timer.computePauseMs(9000), 0);
  }
});

test('without a second block it waits the shortest interval', () => {
  const timer = new HeadTimer();
  assert.equal(timer.computeWaitMs(0, SHORTEST_MS), SHORTEST_MS);
  timer.observe(buildHeader(1), 0);
  assert.equal(timer.computeWaitMs(0, SHORTEST_MS), SHORTEST_MS);
});

test('other work at the head never waits longer than a quarter of a minute', () => {
  const timer = new HeadTimer();
  const first = buildHeader(1);
  timer.observe(first, first.timestampMs);
  timer.observe({ ...buildHeader(2), timestampMs: first.timestampMs + 60_000 }, first.timestampMs);
  assert.equal(timer.computeWaitMs(first.timestampMs, SHORTEST_MS), 15_000);
});
