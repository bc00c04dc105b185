// Pins that an answer of this kind is dropped when it is taken.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LazyAnswer } from './handler.ts';

test('an answer is taken once, and then dropped', () => {
  const body = { quoteId: 'q' };
  const answer = new LazyAnswer(body);
  assert.equal(answer.take(), body);
  assert.throws(() => answer.take(), /taken twice/);
});
