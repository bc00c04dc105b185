// When an endpoint that failed may be used again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { EndpointCells } from '../endpoint-memory.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { RpcError } from './rpc-error.ts';

function create() {
  const clock = new ManualClock();
  const health = new EndpointHealth({ clock, random: () => 1, cells: new EndpointCells(0, null) });
  return { clock, health };
}

test('the latency is that of the last answers', () => {
  const { clock, health } = create();
  const answer = (ms: number) => {
    const observe = health.observeRequest();
    clock.advance(ms);
    observe();
    return health.describeStatus('a').latencyMs;
  };
  assert.equal(health.describeStatus('a').latencyMs, null);
  assert.equal(answer(100), 100);
  assert.equal(answer(20), 90);
});

const SILENT = new RpcError('network', 'no reply');

test('concurrent failures count as one, with the wait of one', () => {
  const { clock, health } = create();
  for (let i = 0; i < 40; i += 1) health.failed(SILENT);
  assert.equal(health.waitMs, 250);
  assert.equal(health.isVoter, true);
  clock.advance(250);
  assert.equal(health.waitMs, 0);
});

test('consecutive failures wait longer each time', () => {
  const { clock, health } = create();
  const waits = [1, 2, 3, 4, 5].map(() => {
    health.failed(SILENT);
    const { waitMs } = health;
    clock.advance(waitMs);
    return waitMs;
  });
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000]);
  assert.equal(health.isVoter, false);
  health.succeeded();
  health.failed(SILENT);
  assert.equal(health.waitMs, 250);
});

test('an outage begins and ends once, however often the endpoint is tried', () => {
  const { clock, health } = create();
  const told: string[] = [];
  const fail = () => {
    if (health.failed(SILENT)) told.push('began');
    clock.advance(health.waitMs);
  };
  const work = () => {
    if (health.succeeded()) told.push('ended');
  };
  for (const step of [work, fail, fail, fail, work, work, fail, fail, work]) step();
  assert.deepEqual(told, ['began', 'ended', 'began', 'ended']);
});

test('the wait that the node asked for is kept, whatever else fails', () => {
  const { health } = create();
  health.failed(new RpcError('rateLimited', 'slow down', { retryAfterMs: 9000 }));
  health.failed(SILENT);
  assert.equal(health.waitMs, 9000);
});
