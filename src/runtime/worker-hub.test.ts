// Budgets and streams over all workers, without processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { LimitSettler } from '../access/limits/limit-settler.ts';
import { SharedLimiter } from '../access/limits/shared-limiter.ts';
import { WorkerLink } from './worker-link.ts';
import type { PrimaryMessage } from './worker-pool.ts';
import { WorkerHub, type WorkerPort } from './worker-pool.ts';

function createScene() {
  const clock = new ManualClock();
  const hub = new WorkerHub({ identitiesMax: 1000, clock });
  const connect = () => {
    let listener: (message: PrimaryMessage) => void = () => undefined;
    // Messages between processes are copies, and come later.
    const port: WorkerPort = {
      send: (message) => setImmediate(() => listener(structuredClone(message))),
    };
    const link = new WorkerLink({
      send: (message) => setImmediate(() => hub.onMessage(port, structuredClone(message))),
      onMessage: (one) => {
        listener = one;
      },
    });
    return { link, port };
  };
  return { hub, clock, connect };
}

describe('a budget', () => {
  const budget = { policy: 'test', perMinute: 60, burst: 32 };
  const createLimiters = () => {
    const { connect, clock } = createScene();
    const monotonicMs = () => clock.monotonicMs();
    const createLimiter = () => {
      const ledger = connect().link.limits;
      const settler = new LimitSettler({ ledger, countNodes: () => 2, monotonicMs });
      return new SharedLimiter({ budget, identitiesMax: 100, clock, settler });
    };
    return { clock, limiters: [createLimiter(), createLimiter()] as const };
  };

  it('is spent by all workers together, to the unit', async () => {
    const { clock, limiters } = createLimiters();
    const [minutes, cost] = [5, 3];
    let allowed = 0;
    for (let second = 0; second < minutes * 60; second += 1) {
      const decisions = limiters.map((limiter) => limiter.take('a', cost));
      for (const { allowed: isAllowed } of await Promise.all(decisions)) {
        if (isAllowed) allowed += cost;
      }
      clock.advance(1000);
    }
    const budgeted = budget.burst + budget.perMinute * minutes;
    assert.ok(allowed > 0.9 * budgeted && allowed <= budgeted, `${allowed} of ${budgeted}`);
    assert.equal((await limiters[0].take('b', 32)).allowed, true);
  });

  it('gets back what one worker gives back', async () => {
    const { limiters } = createLimiters();
    assert.equal((await limiters[0].take('a', 32)).allowed, true);
    assert.equal((await limiters[1].take('a', 4)).allowed, false);
    limiters[0].giveBack('a', 20);
    assert.equal((await limiters[0].take('a', 10)).allowed, true);
    assert.equal((await limiters[1].take('a', 11)).allowed, false);
  });
});

describe('the budgets of one policy', () => {
  it('are not forgotten when another policy has too many callers', async () => {
    const { limits } = createScene().connect().link;
    const spend = (policy: string, name: string, wantedMs: number) => ({
      ...{ policy, name: `${policy} ${name}`, burstMs: 1000, wantedMs },
      ...{ floorMs: 0, spentMs: 0, doneMs: 0 },
    });
    await limits.settle([spend('key', 'a', 1000)]);
    await limits.settle(Array.from({ length: 1500 }, (_, at) => spend('ip', String(at), 1)));
    const [key] = await limits.settle([spend('key', 'a', 1)]);
    const [first] = await limits.settle([spend('ip', '0', 1000)]);
    assert.deepEqual([key?.allowed, first?.allowed], [false, true]);
  });
});

describe('the cap of streams', () => {
  it('holds over all workers; those of a worker that ends are free again', async () => {
    const { connect, hub } = createScene();
    const [one, two] = [connect(), connect()];
    const take = (link: WorkerLink, count: number) =>
      link.limits.takeStream({ owner: 'a', count, limit: 2, nodes: [] });
    assert.equal(await take(one.link, 1), true);
    assert.equal(await take(two.link, 1), true);
    assert.equal(await take(one.link, 2), false);
    await two.link.limits.putStreams(new Map([['a', 0]]));
    assert.equal(await take(one.link, 2), true);
    hub.leave(one.port);
    assert.equal(await take(two.link, 2), true);
  });
});
