// Which job is next, and how many there may be.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildCheckpoint, buildToken, toAddress } from '../../../test/conformance/store-samples.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import { JobList } from './job-list.ts';

const CHECKPOINT = { ...buildCheckpoint(1), startBlock: 100, finalizedBlock: 200 };

function plan(list: JobList, number: number, nowMs: number): BackfillRecord[] {
  const row = buildToken({ token: toAddress(number), supplyRaw: null });
  return list.plan(row, [], { checkpoint: CHECKPOINT, clock: { nowMs: () => nowMs } });
}

/** A list of tokens, each requested a millisecond after the one before. */
function createList(count: number): JobList {
  const list = new JobList();
  for (let number = 1; number <= count; number += 1) {
    for (const job of plan(list, number, number)) list.set(job);
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
    assert.equal(createList(10).findRoom(11), null);
    assert.equal(createList(10).findRoom(10), toAddress(1));
    assert.equal(createList(8).findRoom(8), 'none');
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
    const list = new JobList();
    const at = { checkpoint: CHECKPOINT, clock: { nowMs: () => 0 } };
    const whole = buildToken({ token: toAddress(1) });
    assert.deepEqual(
      list.plan(whole, [], at).map(({ kind }) => kind),
      ['trades'],
    );
    assert.deepEqual(list.plan(whole, plan(list, 1, 0), at), []);
  });

  it('tries a failed job again, but not at once', () => {
    const list = new JobList();
    const row = buildToken({ token: toAddress(1), supplyRaw: null });
    const stored = plan(list, 1, 0).map((job): BackfillRecord => ({ ...job, status: 'failed' }));
    const planAt = (nowMs: number) =>
      list.plan(row, stored, { checkpoint: CHECKPOINT, clock: { nowMs: () => nowMs } });
    assert.deepEqual(planAt(3_600_000), []);
    assert.deepEqual(
      planAt(3_600_001).map(({ status }) => status),
      ['queued', 'queued'],
    );
  });

  it('keeps what was joined until the join is final', () => {
    const list = new JobList();
    const [, holders] = plan(list, 1, 0);
    const joined: BackfillRecord = { ...holders!, status: 'done', joinBlock: 201, memory: '{}' };
    list.set(joined);
    assert.equal(list.tokenCount, 0);
    assert.equal(list.take(0, CHECKPOINT), null);
    assert.deepEqual(list.take(0, { ...CHECKPOINT, finalizedBlock: 201 }), joined);
    list.set({ ...joined, memory: '' });
    assert.equal(list.take(0, { ...CHECKPOINT, finalizedBlock: 201 }), null);
  });
});
