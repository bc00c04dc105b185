// Pins when a connection counts as stalled: by what its peer acknowledged, not by what was sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { formatConnection, type SendQueues, SendQueueWatch } from './send-queue-watch.ts';

let ports = 50_000;

function createSocket() {
  ports += 1;
  const ends = { localAddress: '127.0.0.1', localPort: 80, remoteAddress: '127.0.0.1' };
  return { ...ends, remotePort: ports, bytesWritten: 1000, writableLength: 0 };
}

function createWatch() {
  const clock = new ManualClock();
  const queues = new Map<string, number>();
  let reported: SendQueues | null = queues;
  let onRead = () => {};
  let reads = 0;
  const watch = new SendQueueWatch({
    clock,
    readSendQueues: async () => {
      reads += 1;
      onRead();
      return reported;
    },
  });
  return {
    watch,
    readCount: () => reads,
    setQueue: (socket: object, bytes: number) => {
      const name = formatConnection(socket) ?? '';
      if (bytes === 0) queues.delete(name);
      else queues.set(name, bytes);
    },
    hide: (isHidden: boolean) => {
      reported = isHidden ? null : queues;
    },
    onRead: (work: () => void) => {
      onRead = work;
    },
    poll: async () => {
      clock.advance(15_000);
      await watch.poll();
    },
  };
}

test('a queue of which nothing is acknowledged stalls, also while it grows', async () => {
  const { watch, setQueue, poll } = createWatch();
  const socket = createSocket();
  const queue = watch.watch(socket);
  await poll();
  assert.equal(queue.stalledMs, 0, 'the queue is empty');
  setQueue(socket, 400);
  await poll();
  assert.equal(queue.stalledMs, 0, 'it was seen for the first time');
  for (const stalledMs of [15_000, 30_000, 45_000, 60_000]) {
    socket.bytesWritten += 50;
    setQueue(socket, socket.bytesWritten - 600);
    await poll();
    assert.equal(queue.stalledMs, stalledMs);
  }
});

test('a queue of which a single byte is acknowledged does not stall', async () => {
  const { watch, setQueue, poll } = createWatch();
  const socket = createSocket();
  const queue = watch.watch(socket);
  setQueue(socket, 400);
  for (let count = 0; count < 3; count += 1) await poll();
  assert.equal(queue.stalledMs, 30_000);
  // More was written than acknowledged: the queue grew.
  socket.bytesWritten += 50;
  setQueue(socket, 449);
  await poll();
  assert.equal(queue.stalledMs, 0);
  await poll();
  assert.equal(queue.stalledMs, 15_000);
  setQueue(socket, 0);
  await poll();
  assert.equal(queue.stalledMs, 0);
  socket.bytesWritten += 7;
  setQueue(socket, 7);
  await poll();
  assert.equal(queue.stalledMs, 0, 'what waits now was written since');
});

test('bytes that wait in the process count as neither sent nor acknowledged', async () => {
  const { watch, setQueue, poll } = createWatch();
  const socket = createSocket();
  const queue = watch.watch(socket);
  setQueue(socket, 400);
  await poll();
  socket.bytesWritten += 100_000;
  socket.writableLength = 100_000;
  await poll();
  assert.equal(queue.stalledMs, 15_000);
});

test('bytes written during a read of the queues do not count as acknowledged', async () => {
  const { watch, setQueue, poll, onRead } = createWatch();
  const socket = createSocket();
  const queue = watch.watch(socket);
  setQueue(socket, 400);
  await poll();
  onRead(() => {
    socket.bytesWritten += 100;
  });
  await poll();
  assert.equal(queue.stalledMs, 15_000);
});

test('nothing stalls if queues cannot be read', async () => {
  const { watch, setQueue, poll, hide } = createWatch();
  const socket = createSocket();
  const queue = watch.watch(socket);
  setQueue(socket, 400);
  for (let count = 0; count < 3; count += 1) await poll();
  hide(true);
  await poll();
  assert.equal(queue.stalledMs, 0);
});

test('one read serves all, every 15 seconds, and only while somebody is watched', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { watch, readCount } = createWatch();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const queues = [createSocket(), createSocket()].map((socket) => watch.watch(socket));
  t.mock.timers.tick(14_999);
  assert.equal(readCount(), 0);
  t.mock.timers.tick(1);
  assert.equal(readCount(), 1);
  await settle();
  queues[0]?.forget();
  t.mock.timers.tick(15_000);
  assert.equal(readCount(), 2);
  await settle();
  queues[1]?.forget();
  t.mock.timers.tick(60_000);
  assert.equal(readCount(), 2);
  watch.watch(createSocket());
  t.mock.timers.tick(15_000);
  assert.equal(readCount(), 3);
});
