// Pins that the shown progress makes sense for any state of node and index.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderBar } from '../cli/show-progress.ts';
import type { ChainAnswer, FollowedChainStatus } from '../market/chain-status.ts';
import {
  computeChainProgress,
  describeNotReady,
  isLate,
  pickStatus,
  toShown,
} from './chain-progress.ts';

const SOURCE = { head: null, endpoints: [], lastError: null, backfill: null, undecoded: [] };
const STATES = ['backfilling', 'following', 'failed', 'stalled'] as const;

function show(at: { first: number; block: number; head: number }): string[] {
  return STATES.flatMap((state) =>
    [true, false].map((hasArrived) => {
      const status: FollowedChainStatus = {
        slug: 'devnet',
        answer: {} as ChainAnswer,
        notReady: describeNotReady(
          { ...at, lagMs: 600_000, state },
          { hasArrived, isSlowed: false },
        ),
        limitations: [],
        source: SOURCE,
        progress: computeChainProgress(at),
      };
      return `${status.notReady} | ${renderBar(status)}`;
    }),
  );
}

test('history is shown as a block of the head', () => {
  const shown = show({ first: 0, block: 148, head: 296 });
  assert.ok(shown.every((text) => text.includes('50 %  block 148 of 296')));
  assert.ok(shown.some((text) => text.startsWith('indexing history: block 148 of 296')));
});

test('a node behind its index is reported as such, never as more than 100 %', () => {
  for (const first of [0, 296, 305]) {
    const shown = show({ first, block: 305, head: 296 });
    for (const text of shown) assert.doesNotMatch(text, /305 of 296|%/);
    const expected = 'the node is at block 296, behind the index at block 305';
    assert.ok(shown.some((text) => text.includes(expected)));
  }
});

test('an index that was rolled back below its start shows no progress', () => {
  assert.deepEqual(computeChainProgress({ first: 100, block: 90, head: 200 }), {
    ...{ block: 90, head: 200, share: 0 },
  });
});

test('a chain that is slowed down is ready, though late; one that fails is not', () => {
  const at = { block: 100, head: 900, lagMs: 600_000 };
  const slowed = { hasArrived: true, isSlowed: true };
  assert.equal(describeNotReady({ ...at, state: 'following' }, slowed), null);
  assert.equal(describeNotReady({ ...at, state: 'backfilling' }, slowed), null);
  assert.match(describeNotReady({ ...at, state: 'failed' }, slowed) ?? '', /fails/);
  const arriving = { hasArrived: false, isSlowed: true };
  assert.match(describeNotReady({ ...at, state: 'backfilling' }, arriving) ?? '', /history/);
  const long = { ...at, state: 'backfilling', historyBlocksPerSecond: 1234.5 } as const;
  const days = describeNotReady({ ...long, historyLeftMs: 30.2 * 86_400_000 }, arriving);
  assert.match(days ?? '', /block 100 of 900, 1200 blocks a second, about 30 days more$/);
  const hours = describeNotReady({ ...long, historyLeftMs: 3.1 * 3_600_000 }, arriving);
  assert.match(hours ?? '', /about 3 hours more$/);
  const answer = { lagMs: at.lagMs } as ChainAnswer;
  const status = {
    slug: 'devnet',
    answer,
    notReady: null,
    limitations: [],
    source: SOURCE,
    progress: null,
  } as const;
  assert.ok(isLate(status));
  assert.ok(!isLate({ ...status, answer: { lagMs: 900 } as ChainAnswer }));
});

test('clients see whether a chain is ready, indexing or stalled, and how far it is', () => {
  assert.equal(pickStatus(null, 'following'), 'ready');
  assert.equal(pickStatus(null, undefined), 'ready');
  assert.equal(pickStatus('starting', undefined), 'indexing');
  assert.equal(pickStatus('behind', 'following'), 'indexing');
  assert.equal(pickStatus('indexing history', 'backfilling'), 'indexing');
  for (const state of ['failed', 'stalled'] as const) {
    assert.equal(pickStatus('see the log', state), 'stalled');
  }
  assert.equal(toShown(null), null);
  const progress = computeChainProgress({ first: 0, block: 100, head: 300 });
  assert.deepEqual(toShown(progress), { block: 100, head: 300, pct: 33.33 });
  const paced = { ...progress!, historyLeftMs: 59_000.4, historyBlocksPerSecond: 0.123456 };
  assert.deepEqual(toShown(paced), {
    ...{ block: 100, head: 300, pct: 33.33, blocksPerSecond: 0.123, leftMs: 59_000 },
  });
  assert.equal(toShown(computeChainProgress({ first: 5, block: 5, head: 5 }))?.pct, 100);
});
