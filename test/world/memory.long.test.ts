// What the service keeps in memory does not grow with the hours.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProfile } from './profiles.ts';
import { runWeighed } from './run-weighed.ts';

test('after two hours the service keeps no more in memory than after half an hour', async () => {
  const profiles = [findProfile('own-far')];
  const plan = { seed: 39, chain: 'rollup', scope: 'all', profiles, hours: 2 } as const;
  const { faults, keptBytes } = await runWeighed({ ...plan, forksPerHour: 20 });
  assert.deepEqual(faults, [], `${keptBytes} bytes`);
});
