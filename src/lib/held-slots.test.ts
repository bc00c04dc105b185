// Slots are bounded for each holder and in all, and the largest holder loses first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldSlots } from './held-slots.ts';

test('a holder at its own limit is refused, and may take again what it freed', () => {
  const slots = new HeldSlots({ totalMax: 10, perHolderMax: 2 });
  const free = slots.take('a', assert.fail);
  assert.ok(slots.take('a', assert.fail));
  assert.equal(slots.take('a', assert.fail), null);
  free?.();
  free?.();
  assert.ok(slots.take('a', assert.fail));
  assert.equal(slots.take('a', assert.fail), null);
  assert.ok(slots.take('b', assert.fail));
});

test('when all slots are taken the largest holder loses its oldest', () => {
  const slots = new HeldSlots({ totalMax: 4, perHolderMax: 3 });
  const dropped: string[] = [];
  const take = (name: string) => slots.take(name.charAt(0), () => dropped.push(name));
  for (const name of ['a1', 'b1', 'b2', 'b3']) assert.ok(take(name));
  assert.ok(take('c1'));
  assert.deepEqual(dropped, ['b1']);
  assert.ok(take('d1'));
  assert.deepEqual(dropped, ['b1', 'b2']);
  // All have one: the first who came goes.
  assert.ok(take('e1'));
  assert.deepEqual(dropped, ['b1', 'b2', 'a1']);
});

test('a holder without a name loses nothing', () => {
  const slots = new HeldSlots({ totalMax: 2, perHolderMax: 1 });
  assert.ok(slots.take(null, assert.fail));
  const free = slots.take(null, assert.fail);
  assert.equal(slots.take(null, assert.fail), null);
  assert.equal(slots.take('a', assert.fail), null);
  free?.();
  assert.ok(slots.take('a', assert.fail));
});
