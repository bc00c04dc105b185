// Events of a stream come to a local program with signatures that the SDK verifies.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { verifyWebhook } from '../../../sdk/src/verify-webhook.ts';
import { listenWebhooks } from './listen-webhooks.ts';

async function listen(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const EVENTS = [
  ['snapshot', 'a.1', { chain: 'devnet' }],
  ['alert', 'a.2', { alertId: 'al_1', value: '1.5', timestamp: 1_760_000_000_000 }],
  ['alert.reverted', 'a.3', { alertId: 'al_1', value: '1.5', timestamp: 1_760_000_000_000 }],
] as const;

test('each event is posted signed, and the answer of the program printed', async (t) => {
  const asked: string[] = [];
  const server = await listen(t, (request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [event, id, data] of EVENTS) {
      response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
    }
  });
  const received: { headers: Record<string, string>; body: string }[] = [];
  const to = await listen(t, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(received.length === 1 ? 204 : 500).end();
  });
  const lines: string[] = [];
  t.mock.method(console, 'log', (text: string) => void lines.push(text));
  await listenWebhooks([
    ...['listen', '--to', to, '--chain', 'devnet', '--server', server, '--count', '3'],
  ]);
  t.mock.restoreAll();
  assert.match(asked[0] ?? '', /\/v1\/token\/stream\?chain=devnet&mint=\*&events=alert$/);
  const secret = /whsec_\S+/.exec(lines[0] ?? '')?.[0] ?? '';
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(' ').slice(1).join(' ')),
    ['alert a.2: 204', 'alert.reverted a.3: 500'],
  );
  assert.equal(received.length, 2);
  for (const [index, request] of received.entries()) {
    const message = await verifyWebhook(request, secret);
    const [, id, data] = EVENTS[index + 1]!;
    assert.deepEqual([request.headers['webhook-id'], message.cursor], [id, id]);
    assert.deepEqual(message.data.events[0], { id, type: EVENTS[index + 1]![0], data });
    await assert.rejects(verifyWebhook({ ...request, body: `${request.body} ` }, secret));
  }
});

test('what is missing or wrong is named', async (t) => {
  for (const [typed, fault] of [
    [['hear'], /no command "hear"/],
    [['listen', '--chain', 'devnet'], /--to must be/],
    [['listen', '--to', 'http://localhost:1'], /--chain is required/],
  ] as const) {
    const lines: string[] = [];
    t.mock.method(console, 'error', (text: string) => void lines.push(text));
    await listenWebhooks(typed);
    t.mock.restoreAll();
    assert.match(lines.join('\n'), fault);
    assert.notEqual(process.exitCode ?? 0, 0);
    process.exitCode = undefined;
  }
});
