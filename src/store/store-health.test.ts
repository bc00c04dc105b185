// Pins when a store counts as failed, and when it has recovered.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import { StoreError, type StoreFault } from './store-error.ts';
import { StoreHealth, type StoreHealthOptions } from './store-health.ts';

function createHealth(options: Partial<StoreHealthOptions> = {}) {
  const reported: string[] = [];
  let fault: StoreFault | null = null;
  const health = new StoreHealth({
    probe: async () => {
      if (fault !== null) throw new StoreError(fault, 'as probed');
    },
    slowFault: null,
    onOutage: (error) => void reported.push(error.fault),
    onRecovered: () => void reported.push('recovered'),
    ...options,
  });
  const setFault = (next: StoreFault | null) => {
    fault = next;
  };
  return { health, reported, setFault };
}

test("a caller's fault is reported at once, and once; a successful probe ends it", async () => {
  const { health, reported, setFault } = createHealth();
  setFault('full');
  for (let i = 0; i < 3; i += 1) health.note(new StoreError('full', 'as met'));
  await assert.rejects(health.check(), { fault: 'full' });
  assert.deepEqual(reported, ['full']);
  setFault(null);
  await health.check();
  assert.equal(health.outage, null);
  assert.deepEqual(reported, ['full', 'recovered']);
});

test('a probe finds a fault before any caller', async () => {
  const { health, reported, setFault } = createHealth();
  await health.check();
  setFault('readOnly');
  await assert.rejects(health.check(), { fault: 'readOnly' });
  assert.deepEqual(reported, ['readOnly']);
});

test('damage stays, whatever probes show, and no other fault replaces it', async () => {
  const { health, reported } = createHealth();
  health.note(new StoreError('damaged', 'a page'));
  health.note(new StoreError('unreachable', 'later'));
  await assert.rejects(health.check(), { fault: 'damaged' });
  assert.deepEqual(reported, ['damaged']);
});

test('a held lock and a wrong statement are not an outage', async () => {
  const { health, reported, setFault } = createHealth();
  health.note(new StoreError('busy', 'a long commit'));
  health.note(new StoreError('rejected', 'no such column'));
  await health.check();
  setFault('busy');
  await health.check();
  assert.deepEqual(reported, []);
});

test('a fault that occurs during a probe outlives it', async () => {
  const probe = Promise.withResolvers<void>();
  const { health } = createHealth({ probe: () => probe.promise });
  health.note(new StoreError('full', 'before'));
  const checking = assert.rejects(health.check(), { fault: 'io' });
  health.note(new StoreError('io', 'meanwhile'));
  probe.resolve();
  await checking;
});

test('a probe without an answer reports the configured fault, and no second one runs beside it', async () => {
  for (const slowFault of ['unreachable', null] as const) {
    let probes = 0;
    const probe = () => {
      probes += 1;
      return new Promise<void>(() => undefined);
    };
    const { health } = createHealth({ probe, slowFault });
    const checks = [health.check(), health.check()];
    const results = await Promise.allSettled(checks);
    const expected = slowFault === null ? 'fulfilled' : 'rejected';
    assert.deepEqual(
      results.map(({ status }) => status),
      [expected, expected],
    );
    assert.equal(probes, 1);
  }
});

test('if probes prove little, a fault is reported for a while after it was last met', async () => {
  const held = createHealth({ holdMs: Number.MAX_SAFE_INTEGER });
  held.health.note(new StoreError('full', 'as met'));
  await assert.rejects(held.health.check(), { fault: 'full' });
  held.health.note(new StoreError('unreachable', 'as met'));
  await held.health.check();
});

test('what health reports is not logged by each caller; other faults are', () => {
  for (const fault of ['full', 'unreachable', 'files', 'busy', 'rejected'] as const) {
    const { health, reported } = createHealth();
    const error = new StoreError(fault, 'as met');
    health.note(error);
    health.note(error);
    assert.equal(reported.length, isLoggedOutage(new Error('x', { cause: error })) ? 1 : 0, fault);
    assert.equal(isLoggedOutage(error), !['busy', 'rejected'].includes(fault), fault);
  }
});
