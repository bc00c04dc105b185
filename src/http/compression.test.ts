// Which responses are compressed, and with which headers.

import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Type from 'typebox';
import {
  getThing,
  postThing,
  startTestServer,
  type TestServer,
} from '../../test/start-http-server.ts';
import type { ReadyAnswer } from '../contract/handler.ts';
import { defineOperation } from '../contract/operation.ts';

const TEXT = JSON.stringify({ rows: Array.from({ length: 400 }, (_, row) => ({ row, ok: true })) });
const ETAG = 'W/"same"';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function ask(
  app: TestServer,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ port: app.port, path: `/v1${path}`, method, headers }, (response) => {
      const { statusCode: status, headers: received } = response;
      buffer(response).then((all) => resolve({ status, headers: received, body: all }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function buildReady(text: string): ReadyAnswer {
  return { kind: 'ready', bytes: Buffer.from(text), etag: ETAG };
}

const own = defineOperation({
  ...getThing,
  ...{ id: 'getOwn', path: '/own', access: 'public', pages: 'own' },
  output: Type.Object({ secret: Type.String() }),
});

function start(t: TestContext, text = TEXT): Promise<TestServer> {
  const output = Type.Object({ name: Type.String() }, { additionalProperties: false });
  return startTestServer(t, {
    operations: [{ ...getThing, cacheControl: 'public, max-age=1' }, { ...postThing, output }, own],
    handlers: {
      getThing: () => buildReady(text),
      postThing: () => ({ name: 'n'.repeat(5000) }),
      getOwn: () => ({ secret: 's'.repeat(5000) }),
    },
  });
}

const DECOMPRESS = { br: brotliDecompressSync, gzip: gunzipSync } as const;

describe('a response above 1 KB', () => {
  for (const encoding of ['br', 'gzip'] as const) {
    test(`is sent as ${encoding} to a client that asks for it, with the same tag`, async (t) => {
      const app = await start(t);
      const headers = { 'accept-encoding': encoding };
      for (let time = 0; time < 2; time += 1) {
        const answer = await ask(app, '/thing', { headers });
        assert.equal(answer.headers['content-encoding'], encoding);
        assert.equal(answer.headers['vary'], 'Accept-Encoding');
        assert.equal(answer.headers.etag, ETAG);
        assert.equal(answer.headers['content-length'], String(answer.body.length));
        assert.ok(answer.body.length < TEXT.length / 4);
        assert.equal(DECOMPRESS[encoding](answer.body).toString(), TEXT);
      }
    });
  }

  test('is sent plain to a client that does not ask, and says that it varies', async (t) => {
    const app = await start(t);
    for (const headers of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'zstd' }]) {
      const answer = await ask(app, '/thing', { headers });
      assert.equal(answer.headers['content-encoding'], undefined);
      assert.equal(answer.headers['vary'], 'Accept-Encoding');
      assert.equal(answer.body.toString(), TEXT);
    }
  });

  test('has the same head for HEAD, without a body', async (t) => {
    const app = await start(t);
    const headers = { 'accept-encoding': 'gzip' };
    const get = await ask(app, '/thing', { headers });
    const head = await ask(app, '/thing', { headers, method: 'HEAD' });
    assert.equal(head.body.length, 0);
    for (const name of ['content-length', 'content-encoding', 'vary', 'etag', 'content-type']) {
      assert.equal(head.headers[name], get.headers[name], name);
    }
  });

  test('is 304 for its tag, whatever the encoding it came with', async (t) => {
    const app = await start(t);
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding, 'if-none-match': ETAG };
      const answer = await ask(app, '/thing', { headers });
      assert.equal(answer.status, 304);
      assert.equal(answer.body.length, 0);
      assert.equal(answer.headers['content-encoding'], undefined);
      assert.equal(answer.headers['vary'], 'Accept-Encoding');
    }
  });

  test('is compressed for a POST, too', async (t) => {
    const app = await start(t);
    const answer = await ask(app, '/thing/make', {
      method: 'POST',
      headers: { 'accept-encoding': 'gzip', 'content-type': 'application/json' },
      body: '{"name":"x"}',
    });
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.equal(JSON.parse(gunzipSync(answer.body).toString()).name.length, 5000);
  });
});

test('a small response is compressed only for a client that takes no plain one', async (t) => {
  const app = await start(t, '{"ok":true}');
  const plain = await ask(app, '/thing', { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(plain.headers['content-encoding'], undefined);
  const forced = await ask(app, '/thing', { headers: { 'accept-encoding': 'gzip, identity;q=0' } });
  assert.equal(forced.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(forced.body).toString(), '{"ok":true}');
});

test('sign-in, sessions and keys are never compressed', async (t) => {
  const app = await start(t);
  const headers = { 'accept-encoding': 'br, gzip, identity;q=0' };
  const answer = await ask(app, '/own', { headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-encoding'], undefined);
  assert.equal(JSON.parse(answer.body.toString()).secret.length, 5000);
});
