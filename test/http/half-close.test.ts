// A client that closes its sending side after its requests, like `nc -N`, can still read.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { StreamAnswer } from '../../src/contract/stream-answer.ts';
import { parseRawAnswers, type WireAnswer } from '../raw-answers.ts';
import { getThing, postThing, startTestServer } from '../start-http-server.ts';

const GET = 'GET /v1/thing HTTP/1.1\r\nHost: x\r\n\r\n';
const POST_BODY = '{"name":"a"}';
const POST = `POST /v1/thing/make HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${POST_BODY.length}\r\n\r\n${POST_BODY}`;

/** Sends bytes and closes the sending side; resolves with everything until the server closes. */
function sendAndEnd(port: number, bytes: string): Promise<WireAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(bytes);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(parseRawAnswers(Buffer.concat(chunks).toString('latin1'))));
  });
}

test('a whole request is answered, and the connection closes', async (t) => {
  const app = await startTestServer(t);
  const answers = await sendAndEnd(app.port, GET);
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [[200, '{"ok":true}']],
  );
});

test('several requests are answered too, and one that takes longer than the close', async (t) => {
  const app = await startTestServer(t, {
    operations: [getThing, postThing],
    handlers: {
      getThing: () => ({ ok: true }),
      postThing: async () => {
        // By then the server has seen the end of the connection.
        for (let turn = 0; turn < 20; turn += 1) await new Promise((go) => setTimeout(go, 5));
        return { name: 'late' };
      },
    },
  });
  const answers = await sendAndEnd(app.port, `${POST}${GET}`);
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [
      [200, '{"name":"late"}'],
      [200, '{"ok":true}'],
    ],
  );
});

test('half a request is 400', async (t) => {
  const app = await startTestServer(t);
  const answers = await sendAndEnd(app.port, GET.slice(0, -4));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [400],
  );
});

for (const isAhead of [false, true]) {
  const name = isAhead ? 'before its stream begins' : 'later';
  test(`a stream's reader that closes its side ${name} has left`, async (t) => {
    const asked = Promise.withResolvers<void>();
    const begin = Promise.withResolvers<void>();
    const over = Promise.withResolvers<string>();
    const streamed: StreamAnswer = {
      kind: 'stream',
      start: () => ({ onDrain: () => undefined, onClose: () => over.resolve('closed') }),
      cancel: () => over.resolve('cancelled'),
    };
    const app = await startTestServer(t, {
      operations: [{ ...getThing, mediaType: 'text/event-stream' }],
      handlers: {
        getThing: async () => {
          asked.resolve();
          await begin.promise;
          return streamed;
        },
      },
    });
    const socket = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true });
    t.after(() => socket.destroy());
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.write(GET);
    await asked.promise;
    if (isAhead) {
      socket.end();
      // The server reads ends in the order of the connections' events: this one comes after.
      await sendAndEnd(app.port, 'GET /v1/nope HTTP/1.1\r\nHost: x\r\n\r\n');
      begin.resolve();
      socket.resume();
      assert.equal(await over.promise, 'cancelled');
    } else {
      begin.resolve();
      await new Promise((resolve) => socket.once('data', resolve));
      socket.resume().end();
      assert.equal(await over.promise, 'closed');
    }
    await closed;
  });
}
