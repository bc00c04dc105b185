// Malformed requests, written to a socket byte by byte: each has one correct response, and no part
// of a request is ever taken for another one.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseRawAnswers } from '../raw-answers.ts';
import { startTestServer, type TestServer } from '../start-http-server.ts';

const GET = 'GET /v1/thing HTTP/1.1\r\nHost: x\r\n';
const POST = 'POST /v1/thing/make HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const CLOSE = 'Connection: close\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const CHUNKS = 'c\r\n{"name":"a"}\r\n0\r\n\r\n';
const END = '\r\n';

function withBody(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const head = `${POST}${CLOSE}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

function chunked(chunks: string): string {
  return `${POST}${CLOSE}${CHUNKED}${END}${chunks}`;
}

interface Case {
  readonly bytes: string | Buffer;
  readonly status: number;
  /** Text in the response. */
  readonly says?: string;
}

const NOT_HTTP = 'The request is not valid HTTP.';

/** Each gets one response, after which the connection closes. */
const CASES: Readonly<Record<string, Case>> = {
  'two Host fields': { bytes: `${GET}host: y${END}${END}`, status: 400, says: 'given once' },
  'the same Host twice': { bytes: `${GET}HOST: x${END}${END}`, status: 400, says: 'given once' },
  'a Host with a blank': {
    bytes: `GET /v1/thing HTTP/1.1\r\nHost: a b${END}${END}`,
    status: 400,
    says: 'Host header is invalid',
  },
  'a Host with a path': {
    bytes: `GET /v1/thing HTTP/1.1\r\nHost: a/b${END}${END}`,
    status: 400,
    says: 'Host header is invalid',
  },
  'a Host with a user': {
    bytes: `GET /v1/thing HTTP/1.1\r\nHost: a@b${END}${END}`,
    status: 400,
    says: 'Host header is invalid',
  },
  'a Host list': {
    bytes: `GET /v1/thing HTTP/1.1\r\nHost: a, b${END}${END}`,
    status: 400,
    says: 'Host header is invalid',
  },
  'an empty Host': {
    bytes: `GET /v1/thing HTTP/1.1\r\nHost:${END}${END}`,
    status: 400,
    says: 'Host header is invalid',
  },
  'no Host': { bytes: `GET /v1/thing HTTP/1.1${END}${END}`, status: 400, says: 'is missing' },
  'no Host in HTTP/1.0': { bytes: `GET /v1/thing HTTP/1.0${END}${END}`, status: 200 },
  'a Host with a port': {
    bytes: `GET /v1/thing HTTP/1.1\r\nHost: api.example-1.com:8080\r\n${CLOSE}${END}`,
    status: 200,
  },
  'a Host in IPv6': {
    bytes: `GET /v1/thing HTTP/1.1\r\nHost: [::1]:8080\r\n${CLOSE}${END}`,
    status: 200,
  },
  'gzip and chunked': {
    bytes: `${POST}Transfer-Encoding: gzip, chunked\r\n${END}${CHUNKS}`,
    status: 400,
    says: 'Transfer-Encoding must be',
  },
  'gzip and chunked in two fields': {
    bytes: `${POST}Transfer-Encoding: gzip\r\n${CHUNKED}${END}${CHUNKS}`,
    status: 400,
  },
  'chunked, then gzip': {
    bytes: `${POST}Transfer-Encoding: chunked, gzip\r\n${END}${CHUNKS}`,
    status: 400,
  },
  'chunked twice': { bytes: `${POST}${CHUNKED}${CHUNKED}${END}${CHUNKS}`, status: 400 },
  'a coding that only looks like chunked': {
    bytes: `${POST}Transfer-Encoding: xchunked\r\n${END}${CHUNKS}`,
    status: 400,
  },
  'chunked behind a vertical tab': {
    bytes: `${POST}Transfer-Encoding: \x0bchunked\r\n${END}${CHUNKS}`,
    status: 400,
  },
  'chunked in HTTP/1.0': {
    bytes: `${POST.replace('1.1', '1.0')}${CHUNKED}${END}${CHUNKS}`,
    status: 400,
    says: 'needs HTTP/1.1',
  },
  'chunked before a blank and a colon': {
    bytes: `${POST}Transfer-Encoding : chunked\r\n${END}${CHUNKS}`,
    status: 400,
    says: NOT_HTTP,
  },
  'a length and chunks': {
    bytes: `${POST}Content-Length: 5\r\n${CHUNKED}${END}${CHUNKS}`,
    status: 400,
    says: NOT_HTTP,
  },
  'chunks and a length': {
    bytes: `${POST}${CHUNKED}Content-Length: 5\r\n${END}${CHUNKS}`,
    status: 400,
    says: NOT_HTTP,
  },
  'two lengths': {
    bytes: `${POST}Content-Length: 12\r\nContent-Length: 13\r\n${END}{"name":"a"}`,
    status: 400,
    says: NOT_HTTP,
  },
  'one length twice': {
    bytes: `${POST}Content-Length: 12\r\nContent-Length: 12\r\n${END}{"name":"a"}`,
    status: 400,
    says: NOT_HTTP,
  },
  ...Object.fromEntries(
    ['+12', '-1', '0xc', '12, 12', '1 2', '99999999999999999999', 'a'].map((length) => [
      `the length ${length}`,
      {
        bytes: `${POST}Content-Length: ${length}\r\n${END}{"name":"a"}`,
        status: 400,
        says: NOT_HTTP,
      },
    ]),
  ),
  'bare line feeds': {
    bytes: 'GET /v1/thing HTTP/1.1\nHost: x\n\n',
    status: 400,
    says: NOT_HTTP,
  },
  'one bare line feed': {
    bytes: `GET /v1/thing HTTP/1.1\r\nHost: x\nA: b\r\n${END}`,
    status: 400,
    says: NOT_HTTP,
  },
  'a bare carriage return': { bytes: `${GET}A: b\rC: d\r\n${END}`, status: 400, says: NOT_HTTP },
  'a null in a header': { bytes: `${GET}A: b\0c\r\n${END}`, status: 400, says: NOT_HTTP },
  'a null in a header name': { bytes: `${GET}A\0: b\r\n${END}`, status: 400, says: NOT_HTTP },
  'a folded header': { bytes: `${GET}A: b\r\n c\r\n${END}`, status: 400, says: NOT_HTTP },
  'a folded coding': {
    bytes: `${POST}Transfer-Encoding:\r\n chunked\r\n${END}${CHUNKS}`,
    status: 400,
    says: NOT_HTTP,
  },
  'a first header that is folded': {
    bytes: `GET /v1/thing HTTP/1.1\r\n Host: x\r\n${END}`,
    status: 400,
    says: NOT_HTTP,
  },
  'chunks with an extension': { bytes: chunked('c;a=b\r\n{"name":"a"}\r\n0\r\n\r\n'), status: 200 },
  'chunks with an endless extension': {
    bytes: chunked(`c;${'a'.repeat(20_000)}\r\n{"name":"a"}\r\n0\r\n\r\n`),
    status: 400,
    says: NOT_HTTP,
  },
  'chunks with trailers': {
    bytes: chunked('c\r\n{"name":"a"}\r\n0\r\nHost: y\r\nA: b\r\n\r\n'),
    status: 200,
    says: '{"name":"a"}',
  },
  'chunks with a length behind them': {
    bytes: chunked('c\r\n{"name":"a"}\r\n0\r\nContent-Length: 1\r\n\r\n'),
    status: 400,
    says: NOT_HTTP,
  },
  ...Object.fromEntries(
    ['zz', '-1', '0xc', '', ' c', 'ffffffffffffffffff'].map((size) => [
      `a chunk of size "${size}"`,
      { bytes: chunked(`${size}\r\n{"name":"a"}\r\n0\r\n\r\n`), status: 400, says: NOT_HTTP },
    ]),
  ),
  'chunks that end in line feeds': {
    bytes: chunked('c\n{"name":"a"}\n0\n\n'),
    status: 400,
    says: NOT_HTTP,
  },
  'a chunk longer than its size': {
    bytes: chunked('5\r\n{"name":"a"}\r\n0\r\n\r\n'),
    status: 400,
    says: NOT_HTTP,
  },
  'an Upgrade that is ignored': {
    bytes: `${GET}Connection: Upgrade\r\nUpgrade: websocket\r\n${END}`,
    status: 200,
  },
  'an Upgrade to HTTP/2': {
    bytes: `${GET}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n${END}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    status: 200,
  },
  'HTTP/2 at once': { bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', status: 400, says: NOT_HTTP },
  'a TLS hello': { bytes: Buffer.from('16030102000100', 'hex'), status: 400, says: NOT_HTTP },
  'a byte order mark': {
    bytes: withBody('\ufeff{"name":"a"}'),
    status: 400,
    says: '"path":"body","message":"must not begin with a byte order mark"',
  },
  'UTF-16': { bytes: withBody(Buffer.from('{"name":"a"}', 'utf16le')), status: 400, says: 'UTF-8' },
  'a key twice': {
    bytes: withBody('{"name":"a","name":"b"}'),
    status: 400,
    says: '"path":"name","message":"must be given once"',
  },
  'a key twice, once escaped': {
    bytes: withBody(String.raw`{"name":"a","\u006eame":"b"}`),
    status: 400,
    says: '"path":"name","message":"must be given once"',
  },
  'a key twice within another': {
    bytes: withBody('{"name":"a","more":{"x":[{"y":1,"y":2}]}}'),
    status: 400,
    says: '"path":"more.x.0.y","message":"must be given once"',
  },
  '__proto__ twice': {
    bytes: withBody('{"name":"a","__proto__":1,"__proto__":2}'),
    status: 400,
    says: '"path":"__proto__","message":"must be given once"',
  },
};

describe('a request that no library would send', () => {
  const cleanups: (() => unknown)[] = [];
  let app: TestServer;
  before(async () => {
    app = await startTestServer({ after: (work: () => unknown) => void cleanups.push(work) });
  });
  after(() => {
    for (const work of cleanups) work();
  });
  for (const [name, { bytes, status, says = '' }] of Object.entries(CASES)) {
    test(`${name}: ${status}, and the connection closes`, async () => {
      const answers = parseRawAnswers(await app.raw(bytes));
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
      );
      assert.equal(answers[0]?.fields.get('connection'), 'close');
      assert.ok(answers[0]?.body.includes(says), answers[0]?.body);
    });
  }
});

const BROKEN_HEADS: Readonly<Record<string, Buffer>> = {
  'bytes above 127 in its target': Buffer.from(
    'HEAD /v1/\xff HTTP/1.1\r\nHost: x\r\n\r\n',
    'latin1',
  ),
  'a broken header': Buffer.from('HEAD /v1/thing HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'),
  'a request before it': Buffer.from(`${GET}\r\nHEAD /v1/\xff HTTP/1.1\r\n\r\n`, 'latin1'),
};

for (const [name, bytes] of Object.entries(BROKEN_HEADS)) {
  test(`a broken HEAD with ${name} gets the head of the 400 alone`, async (t) => {
    const app = await startTestServer(t);
    const answer = await app.raw(bytes);
    const head = answer.slice(answer.indexOf('HTTP/1.1 400 '));
    assert.match(head, /^HTTP\/1\.1 400 [\s\S]*content-type: application\/problem\+json/);
    assert.match(head, /\r\n\r\n$/);
    assert.doesNotMatch(head, /MALFORMED_REQUEST/);
  });
}

test('a broken request that only mentions HEAD gets a problem body', async (t) => {
  const app = await startTestServer(t);
  for (const text of ['GET /HEAD \xff HTTP/1.1', 'HEADS /\xff HTTP/1.1', '\xffHEAD / HTTP/1.1']) {
    const answer = await app.raw(Buffer.from(`${text}\r\nHost: x\r\n\r\n`, 'latin1'));
    assert.match(answer, /"code":"MALFORMED_REQUEST"/, text);
  }
});
