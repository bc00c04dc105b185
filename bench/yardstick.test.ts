// The yardstick: it works on its threads, and picks runs by what it measured, not by their speed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickAtRest, startYardstick } from './yardstick.ts';

test('runs are picked by how fast the machine was, whatever they took themselves', () => {
  const runs = [
    { timing: 'quick, on a slow machine', yardstickMs: 1300 },
    { timing: 'slow, on a fast machine', yardstickMs: 1000 },
    { timing: 'usual', yardstickMs: 1010 },
  ];
  const picked = pickAtRest(runs, 2).map(({ timing }) => timing);
  assert.deepEqual(picked, ['slow, on a fast machine', 'usual']);
  assert.equal(runs[0]?.yardstickMs, 1300);
});

test('the work takes a while each time it is measured', async (t) => {
  const yardstick = await startYardstick();
  t.after(() => yardstick.stop());
  for (let i = 0; i < 2; i += 1) assert.ok((await yardstick.measure()) > 1);
});
