// Pins what a connection gets: heads, bodies byte for byte, answers in order.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { getThing, startTestServer, type TestServer } from '../../test/start-http-server.ts';

const CHANGING = /^(date|connection|keep-alive|x-request-id|ratelimit):/i;
const GET = 'GET /v1/thing HTTP/1.1\r\nHost: x\r\n';

interface RawAnswer {
  readonly start: string;
  readonly fields: readonly string[];
  readonly body: string;
}

/** The responses in a connection's bytes, split by their lengths. */
function parseAnswers(bytes: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    const [start = '', ...fields] = bytes.slice(at, headEnd).split('\r\n');
    const length = Number(fields.find((field) => /^content-length:/i.test(field))?.slice(16));
    answers.push({ start, fields, body: bytes.slice(headEnd + 4, headEnd + 4 + length) });
    at = headEnd + 4 + length;
  }
  return answers;
}

function dropChangingFields({ start, fields, body }: RawAnswer) {
  return { start, fields: fields.filter((field) => !CHANGING.test(field)), body };
}

/** A request on a connection that stays, and one with which it ends. */
async function askBothWays(app: TestServer): Promise<[RawAnswer, RawAnswer]> {
  const answers = parseAnswers(await app.raw(`${GET}\r\n${GET}Connection: close\r\n\r\n`));
  const [first, last] = answers;
  assert.ok(first && last && answers.length === 2);
  return [first, last];
}

function findField(answer: RawAnswer, name: string): string | undefined {
  return answer.fields.find((field) => field.toLowerCase().startsWith(`${name}:`));
}

test('the head is the same on a connection that stays and on one that ends', async (t) => {
  const app = await startTestServer(t);
  const [first, last] = await askBothWays(app);
  assert.deepEqual(dropChangingFields(first), dropChangingFields(last));
  assert.equal(first.start, 'HTTP/1.1 200 OK');
  assert.equal(findField(first, 'connection'), 'Connection: keep-alive');
  assert.equal(findField(first, 'keep-alive'), 'Keep-Alive: timeout=65');
  assert.equal(findField(last, 'connection'), 'Connection: close');
  const date = findField(first, 'date')?.slice('Date: '.length) ?? '';
  assert.equal(new Date(date).toUTCString(), date);
  for (const name of ['x-request-id', 'ratelimit']) assert.ok(findField(first, name), name);
});

test('bodies of any size and any characters arrive byte for byte', async (t) => {
  for (const length of [0, 1, 8191, 8192, 8193, 100_000]) {
    const text = `ß\u{1f680}"${'ü'.repeat(length)}`;
    const app = await startTestServer(t, {
      operations: [getThing],
      handlers: {
        getThing: () => ({ kind: 'ready', bytes: Buffer.from(text), etag: 'W/"x"' }),
      },
    });
    const [first, last] = await askBothWays(app);
    assert.deepEqual(dropChangingFields(first), dropChangingFields(last));
    assert.equal(Buffer.from(first.body, 'latin1').toString(), text);
  }
});

test('an answer to a POST has the same head as well', async (t) => {
  const app = await startTestServer(t);
  const body = '{"name":"x"}';
  const asked =
    'POST /v1/thing/make HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${body.length}\r\n`;
  const bytes = await app.raw(`${asked}\r\n${body}${asked}Connection: close\r\n\r\n${body}`);
  const [first, last, ...rest] = parseAnswers(bytes);
  assert.ok(first && last && rest.length === 0);
  assert.deepEqual(dropChangingFields(first), dropChangingFields(last));
  assert.equal(first.body, body);
});

test('an empty body has content-length 0', async (t) => {
  const app = await startTestServer(t);
  const asked = 'GET / HTTP/1.1\r\nHost: x\r\n';
  const bytes = await app.raw(`${asked}\r\n${asked}Connection: close\r\n\r\n`);
  const [first, last, ...rest] = parseAnswers(bytes);
  assert.ok(first && last && rest.length === 0);
  assert.deepEqual(dropChangingFields(first), dropChangingFields(last));
  assert.equal(first.start, 'HTTP/1.1 302 Found');
});

test('requests sent ahead are answered in order on one connection', async (t) => {
  let count = 0;
  const createRequestId = () => {
    count += 1;
    return String(count);
  };
  const app = await startTestServer(t, { createRequestId });
  const bytes = await app.raw(`${`${GET}\r\n`.repeat(20)}${GET}Connection: close\r\n\r\n`);
  const ids = parseAnswers(bytes).map((answer) => findField(answer, 'x-request-id'));
  assert.deepEqual(
    ids,
    Array.from({ length: 21 }, (_, index) => `x-request-id: ${index + 1}`),
  );
});

/** A server whose responses have this length. */
function startWithBody(t: TestContext, length: number): Promise<TestServer> {
  const bytes = Buffer.from('x'.repeat(length));
  return startTestServer(t, {
    operations: [getThing],
    handlers: { getThing: () => ({ kind: 'ready', bytes, etag: 'W/"x"' }) },
  });
}

test('HEAD on a connection that stays has the head of GET and no body', async (t) => {
  for (const length of [11, 100_000]) {
    const app = await startWithBody(t, length);
    const head = GET.replace('GET', 'HEAD');
    const bytes = await app.raw(`${head}\r\n${GET}\r\n${GET}Connection: close\r\n\r\n`);
    const end = bytes.indexOf('\r\n\r\n') + 4;
    const [start = '', ...fields] = bytes.slice(0, end - 4).split('\r\n');
    // After the head comes the next response, without a body in between.
    const [next, last, ...rest] = parseAnswers(bytes.slice(end));
    assert.ok(next && last && rest.length === 0);
    assert.deepEqual(
      dropChangingFields({ start, fields, body: next.body }),
      dropChangingFields(next),
    );
    assert.deepEqual(dropChangingFields(next), dropChangingFields(last));
    assert.equal(findField({ start, fields, body: '' }, 'connection'), 'Connection: keep-alive');
    assert.equal(next.body.length, length);
  }
});

test('an HTTP/1.0 client keeps its connection only where it asks for that', async (t) => {
  const OLD = 'GET /v1/thing HTTP/1.0\r\n';
  for (const length of [11, 100_000]) {
    const app = await startWithBody(t, length);
    const bytes = await app.raw(`${OLD}Connection: keep-alive\r\n\r\n${OLD}\r\n`);
    const [stays, closes, ...rest] = parseAnswers(bytes);
    assert.ok(stays && closes && rest.length === 0);
    assert.equal(findField(stays, 'connection'), 'Connection: keep-alive');
    assert.equal(findField(closes, 'connection'), 'Connection: close');
    assert.deepEqual(dropChangingFields(stays), dropChangingFields(closes));
    for (const { fields, body } of [stays, closes]) {
      assert.ok(!fields.some((field) => /^transfer-encoding:/i.test(field)));
      assert.equal(body.length, length);
    }
  }
});

test('a stopping server answers once more and closes', async (t) => {
  const leaving = await startTestServer(t, { isDraining: () => true });
  const answers = parseAnswers(await leaving.raw(`${GET}\r\n${GET}\r\n`));
  assert.equal(answers.length, 1);
  assert.equal(answers[0] && findField(answers[0], 'connection'), 'Connection: close');
  assert.equal(answers[0]?.body, '{"ok":true}');
});

test('an unchanged answer is 304 without a body', async (t) => {
  const app = await startTestServer(t, {
    operations: [getThing],
    handlers: { getThing: () => ({ kind: 'ready', bytes: Buffer.from('1'), etag: 'W/"x"' }) },
  });
  const asked = `${GET}If-None-Match: "y"\r\nIF-NONE-MATCH: W/"x"\r\nConnection: close\r\n\r\n`;
  const [start = ''] = (await app.raw(asked)).split('\r\n');
  assert.equal(start, 'HTTP/1.1 304 Not Modified');
});
