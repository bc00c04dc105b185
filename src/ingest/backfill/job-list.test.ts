// Which job is next, and how many there may be.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildCheckpoint, buildToken, toAddress } from '../../../test/conformance/store-samples.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address } from '../../model/ids.ts';
import { JobList, planJobs } from './job-list.ts';

const CHECKPOINT = { ...buildCheckpoint(1), startBlock: 100, finalizedBlock: 200 };

const START = { fromBlock: 100, fromMs: null };

function plan(number: number, nowMs: number, isAsked = true): BackfillRecord[] {
  const row = buildToken({ token: toAddress(number), supplyRaw: null });
  return planJobs(row, [], { start: START, nowMs, isAsked });
}

/** A list of tokens, each requested a millisecond after the one before. */
function createList(count: number, findCaller = (_: Address) => ''): JobList {
  const list = new JobList(findCaller);
  for (let number = 1; number <= count; number += 1) {
    for (const job of plan(number, number)) list.set(job);
  }
  return list;
}

describe('the list of jobs', () => {
  it('takes the token that was requested last first, and then each in turn', () => {
    const list = createList(10);
    const taken = Array.from({ length: 16 }, () => list.take(0, CHECKPOINT)!);
    // Eight tokens take turns; the two that were requested first wait.
    const tokens = new Set(taken.map(({ token }) => token));
    assert.deepEqual([...tokens].sort(), [3, 4, 5, 6, 7, 8, 9, 10].map(toAddress).sort());
    assert.equal(list.take(0, CHECKPOINT), null);
    for (const job of taken) list.set({ ...job, status: 'running' });
    const again = Array.from({ length: 16 }, () => list.take(0, CHECKPOINT)!);
    const toKey = ({ kind, token }: BackfillRecord) => `${kind} ${token}`;
    assert.deepEqual(again.map(toKey), taken.map(toKey));
  });

  it('gives a waiting token a turn when another one is done', () => {
    const list = createList(10);
    const taken = Array.from({ length: 16 }, () => list.take(0, CHECKPOINT)!);
    for (const job of taken) {
      list.set({ ...job, status: job.token === toAddress(10) ? 'done' : 'running' });
    }
    const next = Array.from({ length: 16 }, () => list.take(0, CHECKPOINT)!);
    assert.ok(next.some(({ token }) => token === toAddress(2)));
    assert.ok(!next.some(({ token }) => token === toAddress(1)));
  });

  it('drops the token that has waited longest for a new one, never one that is read', () => {
    const find = (count: number, tokensMax: number) =>
      createList(count).findRoom(toAddress(50), { tokensMax, nowMs: 0, isAsked: true });
    assert.equal(find(10, 11), null);
    assert.equal(find(10, 10), toAddress(1));
    assert.equal(find(8, 8), 'none');
  });

  it('lets callers take turns, and drops tokens of the one with the most', () => {
    const others = new Map([1, 2, 50].map((number) => [toAddress(number), `caller ${number}`]));
    const list = createList(30, (token) => others.get(token) ?? 'flood');
    const taken = Array.from({ length: 16 }, () => list.take(0, CHECKPOINT)!.token);
    const first = [1, 2, 25, 26, 27, 28, 29, 30].map(toAddress);
    assert.deepEqual([...new Set(taken)].sort(), first.sort());
    const request = { tokensMax: 30, nowMs: 0, isAsked: true };
    assert.equal(list.findRoom(toAddress(50), request), toAddress(3));
  });

  it('leaves a job that waits alone for a while', () => {
    const list = createList(1);
    const first = list.take(0, CHECKPOINT)!;
    const second = list.take(0, CHECKPOINT)!;
    list.postpone(first, 0);
    list.postpone(second, 0);
    assert.equal(list.take(1_999, CHECKPOINT), null);
    assert.deepEqual(list.take(2_000, CHECKPOINT), first);
  });

  it('makes no job of a token whose holders are all known, and none twice', () => {
    const request = { start: START, nowMs: 0, isAsked: true };
    const whole = buildToken({ token: toAddress(1) });
    assert.deepEqual(
      planJobs(whole, [], request).map(({ kind }) => kind),
      ['trades'],
    );
    assert.deepEqual(planJobs(whole, plan(1, 0), request), []);
  });

  it('tries a failed job again, but not at once', () => {
    const row = buildToken({ token: toAddress(1), supplyRaw: null });
    const stored = plan(1, 0).map((job): BackfillRecord => ({ ...job, status: 'failed' }));
    const planAt = (nowMs: number) => planJobs(row, stored, { start: START, nowMs, isAsked: true });
    assert.deepEqual(planAt(3_600_000), []);
    assert.deepEqual(
      planAt(3_600_001).map(({ status }) => status),
      ['queued', 'queued'],
    );
  });

  it('lets what no client asked for wait, even if it has begun', () => {
    const list = new JobList(() => '');
    for (let number = 1; number <= 9; number += 1) {
      for (const job of plan(number, 0, false)) list.set({ ...job, status: 'running' });
    }
    for (let number = 11; number <= 18; number += 1) {
      for (const job of plan(number, number)) list.set(job);
    }
    const taken = Array.from({ length: 16 }, () => list.take(0, CHECKPOINT)!);
    const asked = [11, 12, 13, 14, 15, 16, 17, 18].map(toAddress).sort();
    assert.deepEqual([...new Set(taken.map(({ token }) => token))].sort(), asked);
    assert.equal(list.take(0, CHECKPOINT), null);
    // A client that asks for one of the others later brings it forward.
    for (const job of taken) list.set({ ...job, status: 'done' });
    list.promote(toAddress(9), 5);
    const later = Array.from({ length: 16 }, () => list.take(0, CHECKPOINT)!.token);
    assert.deepEqual([...new Set(later)].sort(), [1, 2, 3, 4, 5, 6, 7, 9].map(toAddress).sort());
  });

  it('drops what no client asked for first, and nothing for its sake', () => {
    const list = createList(10);
    for (const job of plan(20, 0, false)) list.set(job);
    const find = (tokensMax: number, isAsked: boolean) =>
      list.findRoom(toAddress(50), { tokensMax, nowMs: 0, isAsked });
    assert.equal(find(11, true), toAddress(20));
    assert.equal(find(11, false), 'none');
    assert.equal(find(12, false), null);
  });

  it('gives the turn of a job that waits to another, and asks it less and less often', () => {
    const list = createList(10);
    const taken = Array.from({ length: 16 }, () => list.take(0, CHECKPOINT)!);
    for (const job of taken) list.postpone(job, 0);
    const next = Array.from({ length: 4 }, () => list.take(0, CHECKPOINT)!.token);
    assert.deepEqual(new Set(next), new Set([1, 2].map(toAddress)));
    assert.equal(list.take(0, CHECKPOINT), null);
    let atMs = 0;
    const isFirst = (token: Address) => token === toAddress(10);
    const find = (nowMs: number) => list.take(nowMs, CHECKPOINT, isFirst);
    for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
      const fromMs = atMs;
      atMs += seconds * 1_000;
      assert.equal(find(atMs - 1), null, `after ${fromMs}`);
      // Both of its jobs, so that neither has a turn before.
      for (const job of [find(atMs), find(atMs)]) list.postpone(job!, atMs);
    }
  });

  it('keeps what was joined until the join is final', () => {
    const list = new JobList(() => '');
    const [, holders] = plan(1, 0);
    const joined: BackfillRecord = { ...holders!, status: 'done', joinBlock: 201, memory: '{}' };
    list.set(joined);
    assert.equal(list.tokenCount, 0);
    assert.equal(list.take(0, CHECKPOINT), null);
    assert.deepEqual(list.take(0, { ...CHECKPOINT, finalizedBlock: 201 }), joined);
    list.set({ ...joined, memory: '' });
    assert.equal(list.take(0, { ...CHECKPOINT, finalizedBlock: 201 }), null);
  });
});
