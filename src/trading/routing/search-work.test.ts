// Pins when a search pauses, and that its count does not depend on it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAUSE_EVALUATIONS, SearchWork, TooMuchWork } from './search-work.ts';

test('a search pauses after every so much work', () => {
  let pauses = 0;
  const work = new SearchWork({ pause: () => (pauses += 1) });
  work.add(PAUSE_EVALUATIONS - 1);
  assert.equal(pauses, 0);
  work.add(1);
  assert.equal(pauses, 1);
  for (let part = 0; part < 20; part += 1) work.add(PAUSE_EVALUATIONS / 10);
  assert.equal(pauses, 3);
  assert.equal(work.count, PAUSE_EVALUATIONS * 3);
});

test('a search that leaves its thread throws instead of pausing', () => {
  const work = new SearchWork({ leaveAt: 10, pause: () => assert.fail('it paused') });
  assert.throws(() => work.add(PAUSE_EVALUATIONS), TooMuchWork);
});
