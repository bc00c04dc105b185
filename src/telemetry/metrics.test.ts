// The metrics of several processes as those of one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUpCounts, Metrics, renderReadings } from './metrics.ts';

function createMetrics(head: number, streams: number): Metrics {
  const metrics = new Metrics();
  metrics.collectProcess();
  metrics.chainGauge('head', 'The head.', () => [['base', head]]);
  metrics.chainGauge('ready', 'Ready?', () => [['base', streams > 1 ? 1 : 0]], 'min');
  metrics.gauge('streams', 'Streams.', () => streams);
  for (let count = 0; count < streams; count += 1) {
    metrics.forOperation('getToken').observe(200, 0.002);
    metrics.observeStore('read', 3);
  }
  return metrics;
}

function find(text: string, name: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

const REQUESTS = 'mintwire_http_requests_total{operation="getToken",status="200"}';
const DURATIONS = 'mintwire_http_request_duration_seconds_count{operation="getToken"}';
const STORE = 'mintwire_store_duration_seconds_bucket{le="0.005",operation="read"}';

test('counts are added; a gauge is the sum, the most or the least, as it says', async () => {
  const all = [createMetrics(7, 2), createMetrics(9, 1)];
  const text = await renderReadings(await Promise.all(all.map((one) => one.read())));
  assert.deepEqual(
    [REQUESTS, DURATIONS, STORE, 'streams'].map((name) => find(text, name)),
    [3, 3, 3, 3],
  );
  assert.deepEqual([find(text, 'head{chain="base"}'), find(text, 'ready{chain="base"}')], [9, 0]);
  assert.ok((find(text, 'process_resident_memory_bytes') ?? 0) > 0);
});

test('one process says the same by a reading as by itself', async () => {
  const metrics = createMetrics(7, 2);
  const text = await renderReadings([await metrics.read()]);
  const own = await metrics.render();
  for (const name of [REQUESTS, DURATIONS, STORE, 'streams', 'head{chain="base"}']) {
    assert.equal(find(text, name), find(own, name), name);
    assert.notEqual(find(own, name), undefined, name);
  }
});

test('counts of processes that have ended stay, their gauges do not', async () => {
  const ended = await addUpCounts([await createMetrics(7, 2).read()]);
  const twice = await addUpCounts([ended, await createMetrics(8, 3).read()]);
  const text = await renderReadings([await createMetrics(5, 1).read(), twice]);
  assert.deepEqual(
    [REQUESTS, DURATIONS, STORE].map((name) => find(text, name)),
    [6, 6, 6],
  );
  assert.deepEqual([find(text, 'streams'), find(text, 'head{chain="base"}')], [1, 5]);
});

test('metrics that cannot be read are left out, and the others are shown', async () => {
  const metrics = createMetrics(7, 2);
  const fail = () => {
    throw new Error('not open');
  };
  metrics.gauge('broken', 'Fails.', fail);
  metrics.chainGauge('broken_chains', 'Fails.', fail);
  metrics.chainMethodCounter('broken_calls', 'Fails.', fail);
  const text = await renderReadings([await metrics.read()]);
  assert.doesNotMatch(text, /^broken\w*[ {]/m);
  assert.equal(find(text, 'streams'), 2);
});
