// Budgets and stream caps over several processes, on a real Redis: flooded, lost and back.

import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { LimitSettler } from '../../src/access/limits/limit-settler.ts';
import { RedisLedger } from '../../src/access/limits/redis-ledger.ts';
import { SharedLimiter } from '../../src/access/limits/shared-limiter.ts';
import { SharedStreams } from '../../src/access/limits/shared-streams.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { showTestAddress } from '../fakes/test-family.ts';
import { type HttpStream, openHttpStream } from '../open-http-stream.ts';
import { startRedis } from '../redis.ts';
import { after, before } from '../root-hooks.ts';
import type { Cleanup } from '../start-service-process.ts';
import { type ClusterNode, createClusterScene, readMetric, untilSo } from './cluster-scene.ts';

const NODES = ['a', 'b', 'c'];
const PER_SECOND = 10;
const BUDGET = { policy: 'test', perMinute: PER_SECOND * 60, burst: 200 };
const BURST_MS = (BUDGET.burst * 1000) / PER_SECOND;

let redis: Awaited<ReturnType<typeof startRedis>>;

before(async () => {
  redis = await startRedis();
});

after(() => redis.stop());

/** One for each node; the processes that are there are those that `list` returns. */
function openLedgers(t: Cleanup): RedisLedger[] {
  const ledgers = NODES.map(
    (node) => new RedisLedger({ url: redis.url, node, onChange: () => undefined }),
  );
  t.after(() => Promise.all(ledgers.map((ledger) => ledger.close())));
  return ledgers;
}

function untilUp(ledgers: readonly RedisLedger[], isUp = true): Promise<void> {
  return untilSo(`up: ${isUp}`, () => ledgers.every((ledger) => ledger.isUp === isUp));
}

function openLimiters(ledgers: readonly RedisLedger[]): SharedLimiter[] {
  const monotonicMs = () => systemClock.monotonicMs();
  return ledgers.map((ledger) => {
    const settler = new LimitSettler({ ledger, countNodes: () => NODES.length, monotonicMs });
    return new SharedLimiter({ budget: BUDGET, identitiesMax: 1000, clock: systemClock, settler });
  });
}

/** Many callers at once on each limiter; returns how much each of them allowed. */
async function flood(limiters: readonly SharedLimiter[], identity: string): Promise<number[]> {
  const costs = [1, 5, 1, 2];
  return Promise.all(
    limiters.map(async (limiter) => {
      let spent = 0;
      const call = async () => {
        for (let time = 0; time < 12; time += 1) {
          const cost = costs[time % costs.length] ?? 1;
          if ((await limiter.take(identity, cost)).allowed) spent += cost;
          await setImmediate();
        }
      };
      await Promise.all(Array.from({ length: 30 }, call));
      return spent;
    }),
  );
}

/** As Redis has them. */
async function countStreams(owner: string): Promise<number> {
  const client = createClient({ url: redis.url });
  await client.connect();
  try {
    return sum(Object.values(await client.hGetAll(`mintwire:streams:${owner}`)).map(Number));
  } finally {
    client.destroy();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** What may have been spent since a time. */
function computeMost(sinceMs: number): number {
  const elapsedMs = systemClock.monotonicMs() - sinceMs;
  return BUDGET.burst * 1.05 + (elapsedMs * PER_SECOND) / 1000;
}

test('a flood on three nodes spends the budget, and at most 5 % more', async (t) => {
  const ledgers = openLedgers(t);
  await untilUp(ledgers);
  const limiters = openLimiters(ledgers);
  for (const identity of ['x', 'y']) {
    const sinceMs = systemClock.monotonicMs();
    const spent = sum(await flood(limiters, identity));
    assert.ok(spent >= BUDGET.burst - 4, `${spent}`);
    assert.ok(spent <= computeMost(sinceMs), `${spent} of ${computeMost(sinceMs)}`);
    // Every node knows that nothing is left, and says so at once.
    const refusals = limiters.map((limiter) => limiter.take(identity, BUDGET.burst));
    for (const one of refusals) {
      assert.ok(!(one instanceof Promise) && !one.allowed && one.resetMs > 0);
    }
  }
});

test('a caller that is not fast is decided without asking, and what it spent is shared', async (t) => {
  const ledgers = openLedgers(t);
  await untilUp(ledgers);
  const [here, there] = openLimiters(ledgers);
  if (here === undefined || there === undefined) throw new Error('no limiters');
  const first = here.take('z', 1);
  assert.ok(!(first instanceof Promise) && first.allowed);
  here.settle('z', 149);
  // The other one learns it with its own first spending.
  await untilSo('shared', async () => {
    const { remaining } = await there.take('z', 1);
    return remaining < 50;
  });
  there.giveBack('z', 100);
  await untilSo('refunded', async () => (await here.take('z', 1)).remaining > 60);
});

/** What a caller owes once all that was spent before has arrived. */
async function readDebtMs(ledgers: readonly RedisLedger[], identity: string): Promise<number> {
  // Later than the timer of spending; after that the commands of a connection are in order.
  await sleep(30);
  const name = `${BUDGET.policy} ${BUDGET.perMinute} ${identity}`;
  const nothing = { policy: 'test', floorMs: 0, spentMs: 0, doneMs: 0, wantedMs: 0 };
  let debtMs = 0;
  for (const ledger of ledgers) {
    const [reply] = await ledger.settle([{ name, burstMs: BURST_MS, ...nothing }]);
    debtMs = reply?.debtMs ?? 0;
  }
  return debtMs;
}

test('what nodes allow without waiting is owed in full, work that was done up to a limit', async (t) => {
  const ledgers = openLedgers(t);
  await untilUp(ledgers);
  const limiters = openLimiters(ledgers);
  const sinceMs = systemClock.monotonicMs();
  for (const limiter of limiters) {
    assert.ok(limiter.takeNow('taken', BUDGET.burst).allowed);
    limiter.settle('done', BUDGET.burst);
  }
  const [takenMs, doneMs] = [await readDebtMs(ledgers, 'taken'), await readDebtMs(ledgers, 'done')];
  const elapsedMs = systemClock.monotonicMs() - sinceMs;
  assert.ok(takenMs >= 3 * BURST_MS - elapsedMs, `${takenMs}`);
  assert.ok(doneMs <= 2 * BURST_MS && doneMs >= 2 * BURST_MS - elapsedMs, `${doneMs}`);
});

/** Redis behind a door: what comes while that is closed is accepted and never answered. */
async function openDoor(t: Cleanup, url: string) {
  const sockets = new Set<Socket>();
  const door = { isOpen: false, sockets, url: '' };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    // Without a reader the end of a connection is not seen.
    socket.resume();
    if (!door.isOpen) return;
    const upstream = connect(Number(new URL(url).port), '127.0.0.1');
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    socket.on('data', (data) => void (door.isOpen && upstream.write(data)));
    upstream.on('data', (data) => void (door.isOpen && socket.write(data)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(door, { url: `redis://127.0.0.1:${port}` });
}

test('a Redis that hangs is given up, found again by one connection, and not waited for', async (t) => {
  const door = await openDoor(t, redis.url);
  const ledger = new RedisLedger({ url: door.url, node: 'a', onChange: () => undefined });
  t.after(() => ledger.close());
  await untilSo('one hangs', () => door.sockets.size > 0);
  const [first] = door.sockets;
  await untilSo('it is given up', () => first?.closed === true);
  door.isOpen = true;
  await untilUp([ledger]);
  await untilSo('one is left', () => door.sockets.size === 1);
  // It hangs again, with what is open.
  door.isOpen = false;
  await assert.rejects(ledger.putStreams(new Map([['owner', 1]])), /No answer/);
  assert.equal(ledger.isUp, false);
  await untilSo('another hangs', () => door.sockets.size > 0);
  await ledger.close();
  await untilSo('none is left', () => door.sockets.size === 0);
});

test('without Redis each node has its share; with it again nothing is given twice', async (t) => {
  const ledgers = openLedgers(t);
  await untilUp(ledgers);
  const limiters = openLimiters(ledgers);
  await redis.stop();
  await untilUp(ledgers, false);
  const sinceMs = systemClock.monotonicMs();
  const spent = await flood(limiters, 'w');
  const share = BUDGET.burst / NODES.length;
  for (const one of spent) assert.ok(one >= share - 4, `${one} of ${share}`);
  assert.ok(sum(spent) <= computeMost(sinceMs), `${sum(spent)}`);
  await redis.start();
  await untilUp(ledgers);
  const more = await flood(limiters, 'w');
  assert.ok(sum(spent) + sum(more) <= computeMost(sinceMs), `${sum(spent)} and ${sum(more)}`);
  // A caller that was not there before has all of its budget.
  assert.ok(sum(await flood(limiters, 'v')) >= BUDGET.burst - 4);
});

test('streams are counted over all nodes, also after one has ended and Redis was lost', async (t) => {
  const ledgers = openLedgers(t);
  await untilUp(ledgers);
  let present: readonly string[] = NODES;
  const census = { list: () => present, count: () => present.length };
  const slots = ledgers.map((ledger) => new SharedStreams({ ledger, census }));
  t.after(() => Promise.all(slots.map((one) => one.stop())));
  const takeAll = async (rounds: number) => {
    const taken = Array.from({ length: rounds }, () =>
      slots.map(async (one) => ((await one.take('owner', 4)) ? one : null)),
    );
    return (await Promise.all(taken.flat())).filter((one) => one !== null);
  };
  // Some may be refused because another of the same node was about to be.
  const holders = await takeAll(3);
  assert.ok(holders.length >= 2 && holders.length <= 4, `${holders.length}`);
  while (holders.length < 4) holders.push(...(await takeAll(1)));
  assert.equal(holders.length, 4);
  assert.deepEqual(await takeAll(2), []);
  holders.pop()?.release('owner');
  await untilSo('one more', async () => {
    holders.push(...(await takeAll(1)));
    return holders.length === 4;
  });
  // A new Redis is told what is open.
  await redis.stop();
  await untilUp(ledgers, false);
  await redis.start();
  await untilUp(ledgers);
  await untilSo('told', async () => (await countStreams('owner')) === 4);
  assert.deepEqual(await takeAll(1), []);
  // The streams of a node that is gone do not count.
  const [first] = slots;
  const kept = holders.filter((one) => one === first).length;
  present = ['a'];
  let more = 0;
  while (await first?.take('owner', 4)) more += 1;
  assert.equal(kept + more, 4);
});

/** A caller of its own, by the address that the proxy names. */
function from(address: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { 'x-forwarded-for': address } };
}

async function readStatuses(nodes: readonly ClusterNode[], address: string, count: number) {
  const counts = new Map<number, number>();
  const reading = Array.from({ length: count }, async (_, index) => {
    const { origin } = nodes[index % nodes.length] ?? assert.fail();
    const { status } = await fetch(`${origin}/v1/entitlements`, from(address));
    counts.set(status, (counts.get(status) ?? 0) + 1);
  });
  await Promise.all(reading);
  assert.deepEqual(
    [...counts.keys()].filter((status) => status !== 200 && status !== 429),
    [],
  );
  return counts.get(200) ?? 0;
}

async function openStream(node: ClusterNode, address: string): Promise<HttpStream | number> {
  for (const mint of FAKE_TOKENS.map(showTestAddress)) {
    const url = `${node.origin}/v1/token/stream?chain=devnet&mint=${mint}`;
    const stream = await openHttpStream(url, { ...from(address), onEvent: () => undefined });
    if (stream.status !== 404) return stream.status === 200 ? stream : stream.status;
  }
  throw new Error('no token has a stream');
}

test('two processes with one Redis share budgets and stream caps', async (t) => {
  const { startNode } = await createClusterScene(t, { seed: 5, blocks: 40 });
  const [perMinute, burst] = [120, 60];
  const env = {
    ...{ LEASE_SECONDS: '300', REDIS_URL: redis.url, TRUSTED_PROXIES: '127.0.0.0/8' },
    LIMIT_ANONYMOUS_PER_MINUTE: String(perMinute),
    LIMIT_ANONYMOUS_BURST: String(burst),
  };
  const nodes = await Promise.all([startNode(env), startNode(env)]);
  for (const node of nodes) {
    await untilSo('ready', async () => (await fetch(`${node.origin}/v1/ready`)).ok, [node]);
    const isShared = async () =>
      (await readMetric(node, 'mintwire_limits_shared')) === 1 &&
      (await readMetric(node, 'mintwire_limits_nodes')) === 2;
    await untilSo('shared', isShared, [node]);
  }
  const computeAllowed = (sinceMs: number) =>
    burst * 1.05 + ((systemClock.monotonicMs() - sinceMs) * perMinute) / 60_000;
  let sinceMs = systemClock.monotonicMs();
  const spent = await readStatuses(nodes, '203.0.113.1', 150);
  assert.ok(spent >= burst && spent <= computeAllowed(sinceMs), `${spent}`);

  // Four streams of an anonymous caller, wherever they are.
  const streams: HttpStream[] = [];
  for (const node of [...nodes, ...nodes]) {
    const stream = await openStream(node, '203.0.113.2');
    if (typeof stream === 'number') assert.fail(`${stream}`);
    streams.push(stream);
  }
  for (const node of nodes) assert.equal(await openStream(node, '203.0.113.2'), 429);
  streams.pop()?.leave();
  await untilSo(
    'a free place',
    async () => {
      const stream = await openStream(nodes[0] ?? assert.fail(), '203.0.113.2');
      if (typeof stream !== 'number') streams.push(stream);
      return typeof stream !== 'number';
    },
    nodes,
  );
  for (const stream of streams) stream.leave();

  // Half of the budget for each while Redis is down, and nothing fails.
  await redis.stop();
  sinceMs = systemClock.monotonicMs();
  const alone = await readStatuses(nodes, '203.0.113.3', 150);
  assert.ok(alone >= burst - 4 && alone <= computeAllowed(sinceMs), `${alone}`);
  await redis.start();
  for (const node of nodes) {
    const isShared = async () => (await readMetric(node, 'mintwire_limits_shared')) === 1;
    await untilSo('shared again', isShared, [node]);
  }
  sinceMs = systemClock.monotonicMs();
  const again = await readStatuses(nodes, '203.0.113.4', 150);
  assert.ok(again >= burst && again <= computeAllowed(sinceMs), `${again}`);
});
