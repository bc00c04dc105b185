// The hub and its links, without processes: the feed's suite, segments, budgets and streams.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { buildBatch, describeFeed } from '../../test/conformance/describe-feed.ts';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { type Cleanup, createTempFolder } from '../../test/start-service-process.ts';
import { LimitSettler } from '../access/limits/limit-settler.ts';
import { SharedLimiter } from '../access/limits/shared-limiter.ts';
import { encodeBatch, serializeBatch } from '../live/encode-batch.ts';
import type { FeedBatch } from '../live/feed.ts';
import { SharedFeed } from '../live/shared-feed.ts';
import { WorkerHub, type WorkerPort } from './worker-hub.ts';
import { WorkerLink } from './worker-link.ts';
import type { PrimaryMessage } from './worker-message.ts';

interface Scene {
  readonly hub: WorkerHub;
  readonly clock: ManualClock;
  connect(): { readonly link: WorkerLink; readonly port: WorkerPort };
}

function createScene(t: Cleanup, folder = join(createTempFolder(t), 'segments')): Scene {
  const clock = new ManualClock();
  const hub = new WorkerHub({ segmentFolder: folder, identitiesMax: 1000, clock });
  t.after(() => hub.close());
  const connect = () => {
    let listener: (message: PrimaryMessage) => void = () => undefined;
    // Messages between processes are copies, and come later.
    const port: WorkerPort = {
      send: (message) => setImmediate(() => listener(structuredClone(message))),
    };
    const link = new WorkerLink({
      send: (message) => setImmediate(() => hub.hear(port, structuredClone(message))),
      onMessage: (one) => {
        listener = one;
      },
    });
    hub.join(port);
    return { link, port };
  };
  return { hub, clock, connect };
}

function publish(link: WorkerLink, batch: FeedBatch): void {
  const { isRollback, readTrades, readReverted, ...rest } = batch;
  const reverted = isRollback ? { reverted: { trades: readReverted() } } : {};
  const encoded = encodeBatch({ ...rest, trades: readTrades(), ...reverted });
  const { chain, epoch, version } = batch;
  const commit = { chain, epoch, version, body: serializeBatch(encoded) };
  link.tell({ type: 'commit', commit, origin: 'indexing' });
}

/** A few turns of the event loop: every message and its answer have arrived. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

class Cleanups implements Cleanup {
  readonly works: (() => unknown)[] = [];

  after(work: () => unknown): void {
    this.works.push(work);
  }
}

describeFeed('feed between workers', async () => {
  const cleanups = new Cleanups();
  const { connect } = createScene(cleanups);
  const [indexing, other] = [connect(), connect()];
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const feed = new SharedFeed({ source: other.link.feed, node: 'other', onError });
  return {
    subscriber: feed,
    publisher: { publish: (batch) => publish(indexing.link, batch) },
    settle,
    errors,
    close: async () => {
      await feed.close();
      for (const work of cleanups.works) work();
    },
  };
});

describe('a worker', () => {
  it('that comes later reads the commits that are kept, those of the newest index only', async (t) => {
    const { connect } = createScene(t);
    const { link } = connect();
    for (const version of [1, 2, 3]) publish(link, buildBatch(version));
    const late = connect().link;
    const read = async (epoch: string | null, version: number, countMax = 9) => {
      const limit = { countMax, bytesMax: 1_000_000 };
      return (await late.feed.readBatches('devnet', { epoch, version }, limit)).length;
    };
    assert.deepEqual(
      [await read('first', 1), await read(null, 2), await read('first', 0, 2)],
      [2, 1, 2],
    );
    for (const version of [1, 2]) publish(link, buildBatch(version, { epoch: 'second' }));
    assert.deepEqual([await read('first', 3), await read('second', 1)], [2, 1]);
  });

  it('hears the signals and the report of the others', async (t) => {
    const { connect, clock } = createScene(t);
    const [one, two] = [connect().link, connect().link];
    const heard: string[] = [];
    two.signals.listen('a', (text) => heard.push(text));
    await one.signals.send('a', 'yes');
    await one.signals.send('b', 'no');
    one.tell({ type: 'report', chain: 'devnet', report: 'at 7' });
    await settle();
    clock.advance(40);
    const [lease] = await two.leases.list();
    assert.deepEqual([heard, lease?.report, lease?.reportAgeMs], [['yes'], 'at 7', 40]);
  });
});

describe('a search segment', () => {
  it('is built by one of the workers that want it; another one goes on if that one ends', async (t) => {
    const { connect, hub } = createScene(t);
    const [one, two, three] = [connect(), connect(), connect()];
    const asked = [one, two, three].map(({ link }) => link.ask('segment', 'base'));
    const turn = await asked[0];
    assert.equal(turn?.mustBuild, true);
    hub.leave(one.port);
    const next = await asked[1];
    assert.deepEqual([next?.mustBuild, next?.file === turn?.file], [true, false]);
    two.link.tell({ type: 'built', chain: 'base', isBuilt: true });
    assert.deepEqual(await asked[2], { file: next?.file, mustBuild: false });
  });

  it('waits for a build that began after the question; old files are deleted', async (t) => {
    const { connect } = createScene(t);
    const [one, two] = [connect().link, connect().link];
    const build = async () => {
      const [turn, other] = [one.ask('segment', 'base'), two.ask('segment', 'base')];
      const { file } = await turn;
      writeFileSync(file ?? assert.fail(), '');
      return { other, file };
    };
    const first = await build();
    const late = one.ask('segment', 'base');
    one.tell({ type: 'built', chain: 'base', isBuilt: true });
    assert.equal((await first.other).mustBuild, false);
    const again = two.ask('segment', 'base');
    const { file, mustBuild } = await late;
    assert.equal(mustBuild, true);
    assert.notEqual(file, first.file);
    assert.ok(file);
    writeFileSync(file, '');
    assert.equal(readdirSync(dirname(file)).length, 1);
    one.tell({ type: 'built', chain: 'base', isBuilt: true });
    assert.deepEqual(await again, { file, mustBuild: false });
  });
});

describe('the folder of search segments', () => {
  const askAlone = async ({ connect }: Scene) => {
    const { file } = await connect().link.ask('segment', 'base');
    assert.ok(file);
    writeFileSync(file, '');
    return file;
  };

  it('is of one primary, also where another one uses the data folder', async (t) => {
    const folder = join(createTempFolder(t), 'segments');
    const one = createScene(t, folder);
    const file = await askAlone(one);
    const two = createScene(t, folder);
    assert.notEqual(await askAlone(two), file);
    two.hub.close();
    assert.ok(existsSync(file));
    one.hub.close();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('need not be writable: then every worker builds for itself', async (t) => {
    const file = join(createTempFolder(t), 'file');
    writeFileSync(file, '');
    const { connect } = createScene(t, join(file, 'segments'));
    const links = [connect().link, connect().link];
    for (const turn of links.map((link) => link.ask('segment', 'base'))) {
      assert.equal((await turn).file, null);
    }
  });
});

describe('a budget', () => {
  const budget = { policy: 'test', perMinute: 60, burst: 32 };
  const createLimiters = (t: Cleanup) => {
    const { connect, clock } = createScene(t);
    const monotonicMs = () => clock.monotonicMs();
    const createLimiter = () => {
      const ledger = connect().link.limits;
      const settler = new LimitSettler({ ledger, countNodes: () => 2, monotonicMs });
      return new SharedLimiter({ budget, identitiesMax: 100, clock, settler });
    };
    return { clock, limiters: [createLimiter(), createLimiter()] as const };
  };

  it('is spent by all workers together, to the unit', async (t) => {
    const { clock, limiters } = createLimiters(t);
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

  it('gets back what one worker gives back', async (t) => {
    const { limiters } = createLimiters(t);
    assert.equal((await limiters[0].take('a', 32)).allowed, true);
    assert.equal((await limiters[1].take('a', 4)).allowed, false);
    limiters[0].giveBack('a', 20);
    assert.equal((await limiters[0].take('a', 10)).allowed, true);
    assert.equal((await limiters[1].take('a', 11)).allowed, false);
  });
});

describe('the budgets of one policy', () => {
  it('are not forgotten when another policy has too many callers', async (t) => {
    const { limits } = createScene(t).connect().link;
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
  it('holds over all workers; those of a worker that ends are free again', async (t) => {
    const { connect, hub } = createScene(t);
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
