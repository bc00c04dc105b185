// Usage by day and key as bars.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildUsageBars } from './build-usage-bars.ts';

const DAY_MS = 86_400_000;
const TODAY = 20_000 * DAY_MS;
const rest = { cost: 1, limited: 0, errors: 0 };

test('each day is a bar, stacked by key in the order of their use', () => {
  const rows = [
    { time: TODAY - DAY_MS, keyId: 'a', requests: 1, ...rest },
    { time: TODAY, keyId: 'a', requests: 2, ...rest },
    { time: TODAY, keyId: null, requests: 5, ...rest },
    { time: TODAY, keyId: 'a', requests: 3, ...rest, limited: 4 },
    { time: TODAY - 9 * DAY_MS, keyId: null, requests: 9, ...rest },
  ];
  const { totals, bars, requestsMax } = buildUsageBars(rows, { days: 3, nowMs: TODAY + 5 });
  assert.equal(requestsMax, 10);
  assert.deepEqual(
    totals.map(({ keyId, requests, cost, limited }) => [keyId, requests, cost, limited]),
    [
      [null, 14, 2, 0],
      ['a', 6, 3, 4],
    ],
  );
  assert.deepEqual(bars, [
    { time: TODAY - 2 * DAY_MS, requests: 0, parts: [] },
    {
      time: TODAY - DAY_MS,
      requests: 1,
      parts: [{ series: 1, requests: 1, from: 0, height: 0.1 }],
    },
    {
      time: TODAY,
      requests: 10,
      parts: [
        { series: 0, requests: 5, from: 0, height: 0.5 },
        { series: 1, requests: 5, from: 0.5, height: 0.5 },
      ],
    },
  ]);
});

test('without a request there are empty days', () => {
  const { totals, bars, requestsMax } = buildUsageBars([], { days: 2, nowMs: TODAY });
  assert.deepEqual([totals.length, bars.length, requestsMax], [0, 2, 1]);
});
