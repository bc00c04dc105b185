// The proxy of a local cluster, before small servers in the place of nodes.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type BalancingProxy, startBalancingProxy } from './balancing-proxy.ts';
import { untilSo } from './cluster-scene.ts';

interface FakeNode {
  readonly origin: string;
  readonly server: Server;
  /** Requests apart from those about its health. */
  readonly requests: IncomingMessage[];
  isReady: boolean;
  /** Whether it closes every connection. */
  isGone: boolean;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function startFakeNode(t: TestContext, name: string, answer?: Answer): Promise<FakeNode> {
  const requests: IncomingMessage[] = [];
  const server = createServer((incoming, response) => {
    // A connection may be older than the end of its node.
    if (node.isGone) incoming.socket.destroy();
    else if (incoming.url === '/v1/ready') response.writeHead(node.isReady ? 200 : 503).end();
    else if (incoming.url === '/v1/health') response.writeHead(200).end();
    else {
      requests.push(incoming);
      if (answer === undefined) response.setHeader('set-cookie', ['a=1', 'b=2']).end(name);
      else answer(incoming, response);
    }
  });
  server.on('connection', (socket) => {
    if (node.isGone) socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const node = { origin, server, requests, isReady: true, isGone: false };
  return node;
}

async function startProxy(t: TestContext, nodes: readonly FakeNode[]): Promise<BalancingProxy> {
  const proxy = await startBalancingProxy({ port: 0, checkMs: 20 });
  t.after(() => proxy.stop());
  for (const { origin } of nodes) proxy.add(origin);
  await untilHealth(
    proxy,
    nodes.map(() => 'ready'),
  );
  return proxy;
}

function untilHealth(proxy: BalancingProxy, wanted: readonly string[]): Promise<void> {
  return untilSo(`health ${wanted}`, () => {
    const seen = proxy.listHealth().map(({ health }) => health);
    return seen.toSorted().join() === wanted.toSorted().join();
  });
}

async function ask(proxy: BalancingProxy): Promise<string> {
  return (await fetch(`${proxy.origin}/x`)).text();
}

test('nodes take turns, and answers come through whole', async (t) => {
  const nodes = [await startFakeNode(t, 'one'), await startFakeNode(t, 'two')];
  const proxy = await startProxy(t, nodes);
  const answers = [await ask(proxy), await ask(proxy), await ask(proxy), await ask(proxy)];
  assert.deepEqual(answers.toSorted(), ['one', 'one', 'two', 'two']);
  const answer = await fetch(`${proxy.origin}/a?b=c`, {
    headers: { 'x-forwarded-for': '1.2.3.4' },
  });
  assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2']);
  const seen = nodes.flatMap(({ requests }) => requests).find(({ url }) => url === '/a?b=c');
  assert.equal(seen?.headers['x-forwarded-for'], '1.2.3.4, 127.0.0.1');
});

test('a node that is not ready is asked only while no other is', async (t) => {
  const nodes = [await startFakeNode(t, 'one'), await startFakeNode(t, 'two')] as const;
  const proxy = await startProxy(t, nodes);
  nodes[0].isReady = false;
  await untilHealth(proxy, ['alive', 'ready']);
  assert.deepEqual([await ask(proxy), await ask(proxy)], ['two', 'two']);
  nodes[1].isReady = false;
  await untilHealth(proxy, ['alive', 'alive']);
  assert.deepEqual([await ask(proxy), await ask(proxy)].toSorted(), ['one', 'two']);
});

test('a request to a node that is gone reaches another, with its body, once', async (t) => {
  const echo: Answer = (incoming, response) => void incoming.pipe(response);
  const [gone, left] = [await startFakeNode(t, 'one'), await startFakeNode(t, 'two', echo)];
  const proxy = await startBalancingProxy({ port: 0, checkMs: 3_600_000 });
  t.after(() => proxy.stop());
  for (const { origin } of [gone, left]) proxy.add(origin);
  await untilHealth(proxy, ['ready', 'ready']);
  gone.server.closeAllConnections();
  gone.server.close();
  for (let round = 0; round < 2; round += 1) {
    const answer = await fetch(`${proxy.origin}/x`, { method: 'POST', body: `body ${round}` });
    assert.equal(await answer.text(), `body ${round}`);
  }
  assert.equal(left.requests.length, 2);
  assert.deepEqual(gone.requests, []);
});

test('a node that ends in the middle of an answer is not asked again', async (t) => {
  const drop: Answer = (incoming) => void incoming.socket.destroy();
  const nodes = [await startFakeNode(t, 'one', drop), await startFakeNode(t, 'two', drop)];
  const proxy = await startProxy(t, nodes);
  const answer = await fetch(`${proxy.origin}/x`, { method: 'POST', body: 'once' });
  assert.equal(answer.status, 503);
  assert.equal(nodes.flatMap(({ requests }) => requests).length, 1);
});

test('an event is passed on at once, and a reader who leaves ends the stream', async (t) => {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const stream: Answer = (incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    incoming.once('close', resolve);
  };
  const proxy = await startProxy(t, [await startFakeNode(t, 'one', stream)]);
  const controller = new AbortController();
  const answer = await fetch(`${proxy.origin}/x`, { signal: controller.signal });
  const { value } = (await answer.body?.getReader().read()) ?? {};
  assert.equal(Buffer.from(value ?? []).toString(), 'data: 1\n\n');
  controller.abort();
  await ended;
});

test('without a node the proxy answers 503, and recovers by itself', async (t) => {
  const node = await startFakeNode(t, 'one');
  const proxy = await startProxy(t, [node]);
  node.isGone = true;
  await untilHealth(proxy, ['gone']);
  const answer = await fetch(`${proxy.origin}/x`);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '1');
  node.isGone = false;
  await untilHealth(proxy, ['ready']);
  assert.equal(await ask(proxy), 'one');
});
