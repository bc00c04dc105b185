// Some random worlds; `npm run test:long` has more of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPlan } from './draw-plan.ts';
import { findProfile } from './profiles.ts';
import { runWorld } from './run-world.ts';
import { testSeeds } from './test-seeds.ts';

testSeeds(1, 5);

test('a seed gives the same world again', async () => {
  const plan = drawPlan(2);
  assert.deepEqual(await runWorld(plan), await runWorld(plan));
});

test('Solana is at its head by a paid plan, whose blocks take longer than slots', async () => {
  const profiles = [findProfile('solana-paid')];
  const plan = { seed: 1, chain: 'solana', scope: 'all', profiles, hours: 0.06 } as const;
  const { faults, readyMs } = await runWorld(plan);
  assert.deepEqual(faults, []);
  assert.notEqual(readyMs, null);
});
