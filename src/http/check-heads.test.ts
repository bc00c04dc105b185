// The check at start passes on this Node and fails on one that treats our heads differently.

import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { startTestServer } from '../../test/start-http-server.ts';
import { sendHeaded } from './answer-head.ts';
import { checkHeads } from './check-heads.ts';

const GET = 'GET /v1/thing HTTP/1.1\r\nHost: x\r\n';

test('this Node sends our heads as its own', async () => {
  assert.equal(await checkHeads(), true);
});

/** What sending would do on a changed Node. */
const CHANGED: Readonly<Record<string, typeof sendHeaded>> = {
  'keeps the head elsewhere': (response, head, body) => {
    response.statusCode = head.status;
    Object.assign(response, { aHeadOfAnotherName: head.lines });
    response.end(body);
  },
  'sends both heads': (response, head, body) => {
    response.write(`HTTP/1.1 ${head.status} ${STATUS_CODES[head.status]}\r\n${head.lines}\r\n`);
    response.end(body);
  },
  'wants another line end': (response, head, body) =>
    sendHeaded(response, { ...head, lines: head.lines.replaceAll('\r\n', '\n') }, body),
  'refuses the property': () => {
    throw new TypeError('Cannot set property');
  },
  'damages long bodies': (response, head, body) =>
    sendHeaded(response, head, body.length > 1 ? Buffer.from(body.toString('utf8')) : body),
};

for (const [name, send] of Object.entries(CHANGED)) {
  test(`a Node that ${name} does not pass`, async () => {
    assert.equal(await checkHeads(send), false);
  });
}

test('without our heads every answer has that of Node, with the same lines', async (t) => {
  const ask = async (ownHeads: boolean) => {
    const app = await startTestServer(t, { ownHeads, createRequestId: () => 'one' });
    const bytes = await app.raw(`${GET}\r\n${GET}Connection: close\r\n\r\n`);
    return bytes.replaceAll(/\r\n(Date|RateLimit): [^\r]+/gi, '\r\n$1:');
  };
  const sameAsOurs = await ask(true);
  assert.equal(await ask(false), sameAsOurs);
});

test('a server without our heads leaves them all to Node', async (t) => {
  // Our heads use the service's clock, Node's heads the machine's.
  const clock = new ManualClock(Date.UTC(2001, 0, 1));
  for (const ownHeads of [true, false]) {
    const app = await startTestServer(t, { ownHeads, clock });
    const bytes = await app.raw(`${GET}\r\n${GET}Connection: close\r\n\r\n`);
    const [ours = '', nodes = ''] = bytes.match(/^Date: .*$/gm) ?? [];
    assert.equal(ours.includes(' 2001 '), ownHeads);
    assert.equal(nodes.includes(' 2001 '), false);
  }
});
