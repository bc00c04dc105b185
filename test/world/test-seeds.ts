// A test for each random world from one seed up to another.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPlan } from './draw-plan.ts';
import { runWorld } from './run-world.ts';

export function testSeeds(from: number, to: number): void {
  for (let seed = from; seed <= to; seed += 1) {
    const plan = drawPlan(seed);
    const profiles = plan.profiles.map(({ name }) => name).join(', ');
    test(`world ${seed}: ${plan.chain}, ${plan.scope}, ${profiles}`, async () => {
      const { faults, warnings } = await runWorld(plan);
      const repeat = `npm run world -- --seed ${seed} --to ${seed}`;
      assert.deepEqual(faults, [], [repeat, ...faults, ...warnings.keys()].join('\n'));
    });
  }
}
