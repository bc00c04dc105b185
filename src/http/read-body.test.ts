// The limit of a body holds with and without a Content-Length.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../../test/start-http-server.ts';
import { BODY_BYTES_MAX } from './problem.ts';

const HEAD =
  'POST /v1/thing/make HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
  'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n';

/** A body in chunks of 1,000 bytes, without a length in the head. */
function encodeChunked(body: string): string {
  const chunks = body.match(/.{1,1000}/gs) ?? [];
  return `${HEAD}${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;
}

/** JSON of exactly this length that the operation accepts. */
function buildBody(length: number): string {
  const body = '{"name":"a"}';
  return body + ' '.repeat(length - body.length);
}

test('a chunked body up to the limit is read, one byte more is 413', async (t) => {
  const app = await startTestServer(t);
  const fits = await app.raw(encodeChunked(buildBody(BODY_BYTES_MAX)));
  assert.match(fits, /^HTTP\/1\.1 200 /);
  assert.ok(fits.endsWith('{"name":"a"}'));
  for (const length of [BODY_BYTES_MAX + 1, BODY_BYTES_MAX * 20]) {
    const answer = await app.raw(encodeChunked(buildBody(length)));
    assert.match(answer, /^HTTP\/1\.1 413 /, `${length}`);
    assert.match(answer, /"code":"BODY_TOO_LARGE"/);
  }
});
