// The journal has the events of a pool after one block of one branch, or reports a gap.

import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { setReserves } from '../../../test/fakes/pool-events.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { BlockEvents } from '../../model/block-events.ts';
import { AdoptionJournal } from './adoption-journal.ts';

const POOL = poolId('0xpool');

function toBlock(position: number, branch = 'a'): BlockEvents {
  const header = {
    ...{ position, hash: `${branch}${position}`, parentPosition: position - 1 },
    ...{ parentHash: `${branch}${position - 1}`, timestampMs: position },
  };
  const amount = BigInt(position);
  return {
    header,
    events: [setReserves(POOL, amount, 1n), setReserves(poolId('0xother'), amount, 1n)],
  };
}

function toTip(block: number, branch = 'a') {
  return { block, blockHash: `${branch}${block}` };
}

let journal: AdoptionJournal;

function record(position: number, branch = 'a'): void {
  journal.record([toBlock(position, branch)], toTip(position, branch));
}

/** The blocks of the events that it has, by the reserves that they report. */
function readBlocks(block: number): number[] | null {
  const events = journal.read(POOL, block);
  return (
    events?.map(({ change }) =>
      Number(change !== null && 'reserve0' in change && change.reserve0),
    ) ?? null
  );
}

beforeEach(() => {
  journal = new AdoptionJournal();
  journal.reconcile(toTip(9));
  record(10);
});

it('begins after the last indexed block, with the events of that pool alone', () => {
  assert.deepEqual(journal.watch(POOL), toTip(10));
  assert.deepEqual(readBlocks(10), []);
  record(11);
  record(12);
  assert.deepEqual(readBlocks(10), [11, 12]);
});

it('has nothing for another block, nor after it was dropped', () => {
  journal.watch(POOL);
  record(11);
  assert.equal(readBlocks(9), null);
  assert.equal(readBlocks(11), null);
  journal.forget(POOL);
  assert.equal(readBlocks(10), null);
});

it('drops the events of rolled-back blocks, and follows the new branch', () => {
  journal.watch(POOL);
  for (const position of [11, 12, 13]) record(position);
  journal.rollBack(toTip(11));
  assert.deepEqual(readBlocks(10), [11]);
  record(12, 'b');
  assert.deepEqual(readBlocks(10), [11, 12]);
  journal.rollBack(toTip(10));
  assert.deepEqual(readBlocks(10), []);
});

it('drops a pool that was read at a block which is gone', () => {
  journal.watch(POOL);
  record(11);
  journal.rollBack(toTip(9));
  assert.equal(readBlocks(10), null);
  record(10, 'b');
  assert.equal(readBlocks(10), null);
});

it('continues after a failure only if the store is at the same checkpoint', () => {
  journal.watch(POOL);
  record(11);
  journal.reconcile(toTip(11));
  assert.deepEqual(readBlocks(10), [11]);
  journal.reconcile(toTip(12));
  assert.equal(readBlocks(10), null);
  assert.deepEqual(journal.watch(POOL), toTip(12));
  journal.reconcile({ ...toTip(12), blockHash: 'b12' });
  assert.equal(readBlocks(12), null);
  journal.reconcile(null);
  assert.equal(journal.watch(POOL), null);
});
