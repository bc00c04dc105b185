// Several requests on one connection: answered in order, each with its own response, and not
// processed if no response can follow.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseRawAnswers } from '../raw-answers.ts';
import { startAccess } from '../start-access.ts';
import { startTestServer } from '../start-http-server.ts';
import { createEvmWallet } from '../wallets.ts';

const GET = 'GET /v1/thing HTTP/1.1\r\nHost: x\r\n';
const JSON_POST = 'Host: x\r\nContent-Type: application/json\r\n';

function post(body: string, fields = ''): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `POST /v1/thing/make HTTP/1.1\r\n${JSON_POST}${fields}${length}\r\n${body}`;
}

/** A server whose POST takes as long as the test wants; records the requested names. */
async function startHeldServer(t: TestContext) {
  const made: string[] = [];
  const held: (() => void)[] = [];
  const server = await startTestServer(t, {
    handlers: {
      getThing: () => ({ ok: true }),
      postThing: async (input) => {
        const { name } = input as { name: string };
        made.push(name);
        await new Promise<void>((resolve) => held.push(resolve));
        return { name };
      },
    },
  });
  /** Finishes pending work, in the given order, once all of it has arrived. */
  const finish = async (...order: number[]) => {
    const deadline = Date.now() + 20_000;
    while (held.length < order.length) {
      if (Date.now() > deadline) throw new Error('the work did not begin');
      await sleep(5);
    }
    for (const index of order) {
      held[index]?.();
      await sleep(5);
    }
  };
  return { ...server, made, finish };
}

async function askHeld(t: TestContext, bytes: string, order: number[] = [0]) {
  const server = await startHeldServer(t);
  const [text] = await Promise.all([server.raw(bytes), server.finish(...order)]);
  const answers = parseRawAnswers(text).map(({ status, body }) => {
    const { name, code } = JSON.parse(body) as { name?: string; code?: string };
    return [status, name ?? code ?? 'ok'];
  });
  return { answers, made: server.made };
}

describe('requests in work when something broken follows', () => {
  test('the answer with an issued key is sent before the 400', async (t) => {
    const { server, ...client } = await startAccess(t);
    const { token } = await client.signIn(createEvmWallet());
    const body = '{"name":"pipelined"}';
    const bytes = await server.raw(
      `POST /v1/keys HTTP/1.1\r\n${JSON_POST}Authorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}garbage\r\n\r\n`,
    );
    const [issued, refused, ...more] = parseRawAnswers(bytes);
    assert.equal(issued?.status, 201);
    const { key } = JSON.parse(issued?.body ?? '') as { key: string };
    const used = await client.send('GET', '/entitlements', { bearer: key });
    assert.equal(used.body['level'], 'key');
    assert.deepEqual([refused?.status, refused?.fields.get('connection')], [400, 'close']);
    assert.deepEqual(more, []);
  });

  test('all are answered in order, however they end, and then the 400', async (t) => {
    const bytes = `${post('{"name":"a"}')}${post('{"name":"b"}')}${GET}\r\nnonsense\r\n\r\n`;
    const { answers } = await askHeld(t, bytes, [1, 0]);
    assert.deepEqual(answers, [
      [200, 'a'],
      [200, 'b'],
      [200, 'ok'],
      [400, 'MALFORMED_REQUEST'],
    ]);
  });

  const BROKEN: Readonly<Record<string, { bytes: string; status: number; code: string }>> = {
    'a broken chunk': {
      bytes: `POST /v1/thing/make HTTP/1.1\r\n${JSON_POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      ...{ status: 400, code: 'MALFORMED_REQUEST' },
    },
    'headers that are too long': {
      bytes: `${GET}A: ${'a'.repeat(20_000)}\r\n\r\n`,
      ...{ status: 431, code: 'HEADERS_TOO_LARGE' },
    },
    CONNECT: {
      bytes: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
      ...{ status: 405, code: 'METHOD_NOT_ALLOWED' },
    },
    'two Host fields': {
      bytes: `${GET}Host: y\r\n\r\n`,
      ...{ status: 400, code: 'MALFORMED_REQUEST' },
    },
  };
  for (const [name, { bytes, status, code }] of Object.entries(BROKEN)) {
    test(`${name} is answered after them with ${status}`, async (t) => {
      const { answers } = await askHeld(t, post('{"name":"a"}') + bytes);
      assert.deepEqual(answers, [
        [200, 'a'],
        [status, code],
      ]);
    });
  }

  test('data after the last request of a connection changes nothing', async (t) => {
    const bytes = post('{"name":"a"}', 'Connection: close\r\n') + post('{"name":"b"}');
    const { answers, made } = await askHeld(t, bytes);
    assert.deepEqual([answers, made], [[[200, 'a']], ['a']]);
  });

  test('the rest of a body that was refused early gets no second answer', async (t) => {
    const server = await startTestServer(t);
    const socket = connect(server.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.write('POST /v1/nope HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.once('data', () => socket.write('zz\r\n'));
    socket.on('data', (chunk) => chunks.push(chunk));
    await closed;
    const answers = parseRawAnswers(Buffer.concat(chunks).toString('latin1'));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404],
    );
  });
});

describe('requests behind one after which the connection closes', () => {
  const LAST: Readonly<Record<string, { bytes: string; status: number }>> = {
    'a request with two Host fields': { bytes: `${GET}Host: y\r\n\r\n`, status: 400 },
    'an Upgrade': { bytes: `${GET}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`, status: 200 },
  };
  for (const [name, { bytes, status }] of Object.entries(LAST)) {
    test(`${name}: what follows is not processed`, async (t) => {
      const server = await startHeldServer(t);
      const answers = parseRawAnswers(await server.raw(`${bytes}${post('{"name":"a"}')}`));
      assert.deepEqual([answers.map((one) => one.status), server.made], [[status], []]);
    });
  }

  test('a client that keeps sending requests is cut off before it fills the memory', async (t) => {
    const server = await startHeldServer(t);
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
    socket.resume();
    // The first request never ends, like a stream.
    socket.write(post('{"name":"a"}', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'));
    while (server.made.length === 0) await sleep(5);
    socket.write(`${GET}\r\n`.repeat(1000));
    assert.equal(await Promise.race([closed, sleep(20_000, 'open', { ref: false })]), 'closed');
    assert.deepEqual(server.made, ['a']);
  });

  test('while the server stops, requests after the last answer are not processed', async (t) => {
    const made: string[] = [];
    const server = await startTestServer(t, {
      isDraining: () => true,
      handlers: {
        getThing: () => ({ ok: true }),
        postThing: () => made.push('made') && { name: 'a' },
      },
    });
    const answers = parseRawAnswers(await server.raw(`${GET}\r\n${post('{"name":"a"}')}`));
    assert.deepEqual([answers.map(({ status }) => status), made], [[200], []]);
  });
});

test('a client that requests a tunnel and resets the connection does not end the server', async (t) => {
  const server = await startTestServer(t);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  process.on('uncaughtException', onFailure);
  t.after(() => process.off('uncaughtException', onFailure));
  for (let turn = 0; turn < 20; turn += 1) {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    if (turn % 2 === 0) await new Promise((resolve) => socket.once('data', resolve));
    else await sleep(1);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
  }
  assert.equal((await server.get('/v1/thing')).status, 200);
  assert.deepEqual(failures, []);
});
