// Some random worlds; `npm run test:long` has more of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPlan } from './draw-plan.ts';
import { runWorld } from './run-world.ts';
import { testSeeds } from './test-seeds.ts';

testSeeds(1, 11);

test('a seed gives the same world again', async () => {
  const plan = drawPlan(2);
  assert.deepEqual(await runWorld(plan), await runWorld(plan));
});
