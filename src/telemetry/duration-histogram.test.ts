// Durations in Prometheus format.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { DurationHistogram } from './metrics.ts';

test('the text is what prom-client writes for the same observations', async () => {
  const shape = { name: 'took_seconds', help: 'How long it took.' };
  const bounds = [0.001, 0.01, 0.1, 1];
  const ours = new DurationHistogram({ ...shape, label: 'operation', bucketsSeconds: bounds });
  const registry = new Registry();
  const theirs = new Histogram({
    ...shape,
    labelNames: ['operation'],
    buckets: bounds,
    registers: [registry],
  });
  for (const operation of ['getToken', 'getTrades']) {
    for (const seconds of [0, 0.0005, 0.001, 0.0011, 0.1, 0.5, 1, 1.5, 30]) {
      ours.labeled(operation).observe(seconds);
      theirs.labels(operation).observe(seconds);
    }
  }
  const sortLines = (text: string) => text.trim().split('\n').sort();
  assert.deepEqual(sortLines(ours.render()), sortLines(await registry.metrics()));
});
