// Pins that an answer of this kind is dropped when it is taken.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OnceAnswer } from './once-answer.ts';

test('an answer is taken once, and then dropped', () => {
  const body = { quoteId: 'q' };
  const answer = new OnceAnswer(body);
  assert.equal(answer.take(), body);
  assert.throws(() => answer.take(), /taken twice/);
});
