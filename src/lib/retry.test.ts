// Pins how backoff grows and that an abort ends a sleep.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { computeBackoffMs, sleep } from './retry.ts';

test('the wait doubles up to its ceiling', () => {
  const waits = [1, 2, 3, 4, 5].map((attempt) =>
    computeBackoffMs(attempt, { baseMs: 100, maxMs: 700 }, () => 0.999_999),
  );
  assert.deepEqual(waits, [100, 200, 400, 700, 700]);
});

test('jitter stays within the upper half, whatever the attempt', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, random) => {
        const ceiling = Math.min(30_000, 250 * 2 ** Math.min(attempt - 1, 30));
        const wait = computeBackoffMs(attempt, { baseMs: 250, maxMs: 30_000 }, () => random);
        return wait >= Math.floor(ceiling / 2) && wait <= ceiling;
      },
    ),
  );
});

test('an abort ends the sleep with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('stop');
  const sleeping = sleep(60_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, reason);
});
