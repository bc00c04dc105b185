// What was not decoded is counted by kind; of too many kinds the frequent ones stay.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UndecodedCalls } from './undecoded-calls.ts';

test('new kinds replace the rarest, and unlisted programs do not take the places of venues', () => {
  const calls = new UndecodedCalls();
  for (let count = 0; count < 3; count += 1) calls.add({ venue: 'pump', discriminator: 'aa' });
  for (let program = 0; program < 1000; program += 1) {
    calls.add({ venue: 'unlisted', discriminator: `program ${program}` });
    if (program % 3 === 0) calls.add({ venue: 'unlisted', discriminator: 'a large one' });
  }
  const listed = calls.list();
  assert.deepEqual(listed[0], { venue: 'pump', discriminator: 'aa', count: 3 });
  const large = listed.find(({ discriminator }) => discriminator === 'a large one');
  assert.equal(large?.count, 334);
  assert.equal(listed.length, 201);
});
