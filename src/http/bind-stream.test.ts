// Pins that a stream is notified when it can write, even if it was pipelined.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { buildLimits, getThing, startTestServer } from '../../test/start-http-server.ts';
import { walletId } from '../../test/test-ids.ts';
import type { Identity } from '../contract/identity.ts';
import {
  type StreamAnswer,
  type StreamContext,
  StreamFrame,
  type StreamOutlet,
} from '../contract/stream-answer.ts';

const FRAME_COUNT = 50;
const FRAME = new StreamFrame('x'.repeat(100_000));

for (const isAhead of [false, true]) {
  const name = isAhead ? 'behind a request that is still in work' : 'alone on its connection';
  test(`a stream ${name} is notified of drains until all is read`, async (t) => {
    const slow = Promise.withResolvers<object>();
    let written = 0;
    const streamed: StreamAnswer = {
      kind: 'stream',
      start: (outlet) => {
        const write = () => {
          while (written < FRAME_COUNT) {
            written += 1;
            if (!outlet.write(FRAME)) return;
          }
          outlet.end();
        };
        write();
        slow.resolve({ ok: true });
        return { onDrain: write, onClose: () => undefined };
      },
      cancel: () => undefined,
    };
    const app = await startTestServer(t, {
      operations: [
        getThing,
        { ...getThing, id: 'getStream', path: '/stream', mediaType: 'text/event-stream' },
      ],
      handlers: { getThing: () => slow.promise, getStream: () => streamed } as never,
    });
    const socket = connect(app.port, '127.0.0.1');
    t.after(() => socket.destroy());
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(`${isAhead ? ask('/v1/thing') : ''}${ask('/v1/stream')}`);
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    await once(socket, 'close');
    assert.equal(received.match(/x{1000}/g)?.length, (FRAME_COUNT * 100_000) / 1000);
    assert.equal(received.includes('{"ok":true}'), isAhead);
  });
}

test('a stream is in work until its head, and counted and logged once', async (t) => {
  const outlets: StreamOutlet[] = [];
  const closed = Promise.withResolvers<void>();
  const app = await startTestServer(t, {
    operations: [{ ...getThing, id: 'getStream', path: '/stream', mediaType: 'text/event-stream' }],
    handlers: {
      getStream: (): StreamAnswer => ({
        kind: 'stream',
        start: (outlet) => {
          outlets.push(outlet);
          return { onDrain: () => undefined, onClose: () => closed.resolve() };
        },
        cancel: () => undefined,
      }),
    } as never,
  });
  const assertCounts = async () => {
    const text = await app.metrics.render();
    assert.match(text, /^mintwire_http_requests_in_flight 0$/m);
    assert.match(text, /requests_total\{operation="getStream",status="200"\} 1$/m);
    assert.equal(app.logLines.length, 1);
  };
  const response = await app.get('/v1/stream');
  await assertCounts();
  outlets[0]?.end();
  await response.text();
  await closed.promise;
  await assertCounts();
});

test('what a stream is charged after its head is added to the usage of its caller', async (t) => {
  const counted: unknown[] = [];
  const spending = Promise.withResolvers<(cost: number) => number>();
  const identity: Identity = {
    ...{ kind: 'key', key: 'w', walletId: walletId('w'), keyId: 'key_a' },
    ...{ tier: null, limits: null },
  };
  const budget = { policy: 'key', perMinute: 60, burst: 8 };
  const limits = buildLimits({});
  const app = await startTestServer(t, {
    operations: [{ ...getThing, id: 'getStream', path: '/stream', mediaType: 'text/event-stream' }],
    limits: { ...limits, budgets: { ...limits.budgets, key: budget } },
    access: {
      identify: () => identity,
      countUse: () => undefined,
      countAnswer: (_, answered) => counted.push(answered),
    },
    handlers: {
      getStream: (_: unknown, { spend }: StreamContext): StreamAnswer => ({
        kind: 'stream',
        start: (outlet) => {
          spending.resolve(spend);
          t.after(() => outlet.end());
          return { onDrain: () => undefined, onClose: () => undefined };
        },
        cancel: () => undefined,
      }),
    } as never,
  });
  await app.get('/v1/stream');
  const spend = await spending.promise;
  assert.equal(spend(5), 0);
  assert.ok(spend(5) > 0, 'it has to wait');
  const use = { operation: 'getStream', status: 200 };
  assert.deepEqual(counted, [
    { ...use, cost: 1 },
    { ...use, cost: 5, isMore: true },
  ]);
});
