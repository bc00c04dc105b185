// What a profile reports: costs by file, since the load began, without idle time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCosts } from './cpu-profile.ts';

test('the largest costs by self time since the load began, file by file', () => {
  const frame = (functionName: string, url = '') => ({ functionName, url });
  const here = 'file:///home/someone/mintwire';
  const costs = readCosts(
    {
      startTime: 5000,
      nodes: [
        { id: 1, callFrame: frame('(root)') },
        { id: 2, callFrame: frame('(idle)') },
        { id: 3, callFrame: frame('fold', `${here}/src/candles/fold.ts`) },
        { id: 4, callFrame: frame('write', 'file:///x/node_modules/@scope/name/lib/index.js') },
        { id: 5, callFrame: frame('(garbage collector)') },
        { id: 6, callFrame: frame('', 'node:net') },
        { id: 7, callFrame: frame('add', `${here}/src/candles/fold.ts`) },
        { id: 8, callFrame: frame('makeMarket', `${here}/test/fakes/market.ts`) },
      ],
      // The first write happens at start, before any request.
      samples: [4, 2, 3, 7, 4, 5, 6, 8],
      timeDeltas: [700, 1000, 30, 20, 30, 15, 5, 400],
    },
    5701,
  );
  assert.deepEqual(costs, [
    { name: 'src/candles/fold.ts, most of it `fold`', share: 0.5 },
    { name: '@scope/name', share: 0.3 },
    { name: 'garbage collection', share: 0.15 },
  ]);
});
