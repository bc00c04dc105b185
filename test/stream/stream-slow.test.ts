// Readers that stop reading: others are not delayed, memory stays bounded, and disconnected readers
// resume. Also heartbeats, which detect dead readers.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSendQueues } from '../../src/http/send-queue-watch.ts';
import type { MarketEvent } from '../../src/model/block-events.ts';
import { buildFakeAddress } from '../fakes/fake-market.ts';
import { buildSwapEvent, createPool } from '../fakes/index-events.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { setReserves } from '../fakes/pool-events.ts';
import { createMarketScene } from '../market-scene.ts';
import { openHttpStream } from '../open-http-stream.ts';
import { openTestStream, startTestStreams } from '../stream-scene.ts';
import { poolId, transactionId } from '../test-ids.ts';
import { startStreamServer } from './stream-server.ts';

const TOKEN = buildFakeAddress('aaaa', 18);
const POOL = poolId(buildFakeAddress('dddd', 7777));
const TRADES_PER_BLOCK = 400;

let hashes = 0;

function buildTrades(count: number): MarketEvent[] {
  return Array.from({ length: count }, (_, logIndex) => {
    hashes += 1;
    return buildSwapEvent(POOL, [10n ** 18n, -(10n ** 15n)], {
      txHash: transactionId(`0x${hashes}`),
      logIndex,
    });
  });
}

async function until(fits: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!fits()) {
    if (Date.now() > deadline) throw new Error('it did not come to that');
    await sleep(10);
  }
}

async function createQuietScene(t: { after(work: () => unknown): void }) {
  const cleanups: (() => unknown)[] = [];
  t.after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  const late = { after: (work: () => unknown) => cleanups.push(work) };
  const chain = { seed: 4, finalityDepth: 12, blocks: 40, clock: 'steady' } as const;
  const scene = await createMarketScene(late, { engine: 'sqlite', ...chain });
  const clock = new ManualClock();
  const streams = startTestStreams(scene.market, { clock });
  late.after(() => streams.stop());
  const [row] = await scene.store.market.readTokens('devnet', [buildFakeAddress('aaaa', 10)]);
  return { scene, streams, clock, input: { chain: 'devnet', mint: row!.token, events: 'price' } };
}

interface BusyStream {
  readonly of: string;
  readonly query: string;
  readonly snapshots: number;
  /** What a block brings, and how many events that is. */
  readonly makeBlock: () => MarketEvent[];
  readonly perBlock: number;
}

let pools = 0;

/** Each pool has a token of its own. */
function buildPools(count: number): MarketEvent[] {
  return Array.from({ length: count }, () => {
    pools += 1;
    const pool = poolId(buildFakeAddress('fade', pools));
    return createPool(pool, [buildFakeAddress('abba', pools), buildFakeAddress('eeee', 5)]);
  });
}

const OTHER_TOKENS = [10, 11].map((number) => buildFakeAddress('aaaa', number));

const BUSY_STREAMS: readonly BusyStream[] = [
  {
    of: 'one token',
    query: `mint=${TOKEN}&events=trade`,
    snapshots: 1,
    makeBlock: () => buildTrades(TRADES_PER_BLOCK),
    perBlock: TRADES_PER_BLOCK,
  },
  {
    of: 'several tokens',
    query: `mint=${[TOKEN, ...OTHER_TOKENS].join()}&events=trade`,
    snapshots: 3,
    makeBlock: () => buildTrades(TRADES_PER_BLOCK),
    perBlock: TRADES_PER_BLOCK,
  },
  {
    of: "a chain's news",
    query: 'mint=*&events=pool,token',
    snapshots: 1,
    makeBlock: () => buildPools(200),
    perBlock: 400,
  },
];

describe('a reader that stops reading', () => {
  for (const { of, query, snapshots, makeBlock, perBlock } of BUSY_STREAMS) {
    test(`${of}: is cut and can resume; another reader gets everything meanwhile`, async (t) => {
      const server = await startStreamServer(t, {
        streams: { slots: { limitOf: () => 100, totalMax: 100 } },
      });
      const { scene, streams } = server;
      const reserves = setReserves(POOL, 10n ** 24n, 10n ** 21n);
      scene.chain.extend(1, [createPool(POOL, [TOKEN, buildFakeAddress('eeee', 5)]), reserves]);
      await scene.settle();
      const target = `/v1/token/stream?chain=devnet&${query}`;
      const url = `${server.server.origin}${target}`;
      const good = await openHttpStream(url);
      await until(() => good.events.length === snapshots);
      const { id } = good.events.at(-1)!;
      const [stuck] = openUnread(server.server.port, target, 1);
      await until(() => streams.hub.clientCount === 2);
      let blocks = 0;
      while (streams.hub.clientCount === 2) {
        assert.ok(blocks < 60, 'it was never cut');
        scene.chain.extend(1, makeBlock());
        blocks += 1;
        await scene.settle();
        // The live reader is up to date while the other one is stuck.
        await until(() => good.events.length === snapshots + blocks * perBlock);
      }
      assert.equal(streams.hub.counts.cut, 1);
      stuck!.destroy();
      const back = await openHttpStream(url, { headers: { 'last-event-id': id! } });
      await until(() => back.events.length === blocks * perBlock);
      const listIds = (stream: typeof back) =>
        stream.events.flatMap(({ event, data }) =>
          event === 'snapshot' ? [] : [`${event} ${data.id ?? data.address ?? data.mint}`],
        );
      assert.deepEqual(listIds(back), listIds(good));
      for (const stream of [good, back]) stream.leave();
    });
  }

  test('that reads nothing for a minute is cut by the heartbeat', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { streams, input, clock } = await createQuietScene(t);
    const stream = await openTestStream(streams, input, { isStuck: true });
    const other = await openTestStream(streams, input);
    await until(() => streams.hub.clientCount === 2);
    t.mock.timers.tick(15_000);
    assert.equal(stream.state.ended, null);
    clock.advance(60_001);
    t.mock.timers.tick(15_000);
    assert.equal(stream.state.ended, 'cut');
    assert.equal(other.state.ended, null);
    await until(() => streams.slots.total === 1);
  });
});

test('one for whom little waits is cut after a minute in which it took none of it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { streams, input, clock } = await createQuietScene(t);
  let bytes = 0;
  // Its socket still accepts writes: a few bytes wait, far below the limit of a slow reader.
  const stream = await openTestStream(streams, input, { waitingBytes: () => bytes });
  await until(() => streams.hub.clientCount === 1);
  const beat = () => {
    clock.advance(15_000);
    t.mock.timers.tick(15_000);
  };
  for (let count = 0; count < 6; count += 1) beat();
  assert.equal(stream.state.ended, null, 'nothing waited for it');
  bytes = 40;
  for (let count = 0; count < 5; count += 1) beat();
  assert.equal(stream.state.ended, null, 'not longer than a minute');
  bytes = 0;
  beat();
  bytes = 40;
  for (let count = 0; count < 5; count += 1) beat();
  assert.equal(stream.state.ended, null, 'it had taken everything meanwhile');
  beat();
  assert.equal(stream.state.ended, 'cut');
  assert.equal(streams.hub.counts.cut, 1);
});

/** Opens streams whose reader never reads anything. */
function openUnread(port: number, target: string, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    socket.on('error', () => undefined);
    return socket.pause();
  });
}

test('ones that never read are cut after a minute, also where the system holds all that waits', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux shows what its queues hold');
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clock = new ManualClock();
  let reads = 0;
  let queuedBytes: number[] = [];
  const server = await startStreamServer(t, {
    streams: { clock, slots: { limitOf: () => 100, totalMax: 100 } },
    http: {
      clock,
      readSendQueues: async () => {
        const queues = await readSendQueues();
        reads += 1;
        return queues;
      },
    },
  });
  const { scene, streams } = server;
  const { hub } = streams;
  const reserves = setReserves(POOL, 10n ** 24n, 10n ** 21n);
  scene.chain.extend(1, [createPool(POOL, [TOKEN, buildFakeAddress('eeee', 5)]), reserves]);
  await scene.settle();
  const target = `/v1/token/stream?chain=devnet&mint=${TOKEN}&events=trade`;
  const good = await openHttpStream(`${server.server.origin}${target}`);
  const unread = openUnread(server.server.port, target, 3);
  t.after(() => unread.forEach((socket) => void socket.destroy()));
  await until(() => hub.clientCount === 4);
  // Until the peers accept no more. More than a delayed acknowledgement waits then.
  for (let blocks = 1; queuedBytes.length < unread.length; blocks += 1) {
    assert.ok(blocks < 200, 'the other ends take everything');
    scene.chain.extend(1, buildTrades(50));
    await scene.settle();
    await until(() => good.events.length === 1 + blocks * 50);
    const queues = (await readSendQueues()) ?? new Map<string, number>();
    const port = server.server.port.toString(16).toUpperCase().padStart(4, '0');
    queuedBytes = [...queues].flatMap(([name, bytes]) =>
      name.startsWith(`0100007F:${port} `) && bytes > 100_000 ? [bytes] : [],
    );
  }
  const look = async () => {
    const before = reads;
    clock.advance(15_000);
    t.mock.timers.tick(15_000);
    await until(() => reads > before);
  };
  for (let looks = 1; looks <= 5; looks += 1) await look();
  assert.deepEqual([hub.clientCount, hub.counts.cut], [4, 0], 'not longer than a minute');
  // The peers may have accepted a little more after the first check.
  for (let looks = 6; hub.counts.cut < 3; looks += 1) {
    assert.ok(looks < 20, 'they were never cut');
    await look();
  }
  await until(() => hub.clientCount === 1);
  for (let looks = 1; looks <= 6; looks += 1) await look();
  assert.deepEqual([hub.clientCount, hub.counts.cut], [1, 3], 'who reads stays');
  good.leave();
});

describe('heartbeats', () => {
  test('come every 15 seconds and say where the reader is', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { scene, streams, input } = await createQuietScene(t);
    const stream = await openTestStream(streams, input);
    await until(() => stream.events.some(({ event }) => event === 'snapshot'));
    await sleep(50);
    const count = () => stream.events.filter(({ event }) => event === '').length;
    t.mock.timers.tick(14_000);
    assert.equal(count(), 0);
    t.mock.timers.tick(1000);
    assert.equal(count(), 1);
    t.mock.timers.tick(30_000);
    assert.equal(count(), 3);
    scene.chain.extend(2);
    await scene.settle();
    t.mock.timers.tick(15_000);
    const lastEventId = stream.events.findLast(({ event }) => event === '')!.id!;
    stream.leave();
    const back = await openTestStream(streams, { ...input, events: 'trade' }, { lastEventId });
    await sleep(100);
    assert.deepEqual(back.events, [], 'nothing happened since the last heartbeat');
  });
});
