// A client that disconnects leaves no subscription behind, whenever it does.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
// @ts-expect-error: the package has no types of its own
import { WebSocketServer } from 'ws';
import { NodeSubscriptions, type Subscriber } from './node-subscriptions.ts';

interface AskedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The part of `ws` that is used here. */
interface FakeSocket {
  on(event: 'message', listener: (data: Buffer) => void): void;
  send(text: string): void;
}

/** A node that answers when `answer` is called. */
async function startSlowNode(t: TestContext) {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await once(server, 'listening');
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const asked: AskedCall[] = [];
  const waiting: (() => void)[] = [];
  let ids = 0;
  server.on('connection', (socket: FakeSocket) => {
    socket.on('message', (data: Buffer) => {
      const call = JSON.parse(String(data)) as AskedCall;
      asked.push(call);
      ids += 1;
      const result = call.method === 'eth_subscribe' ? `0x${ids}` : true;
      const reply = () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
      // The node's own subscription to heads is answered at once.
      if (call.params[0] === 'logs') waiting.push(reply);
      else reply();
    });
  });
  const until = async (isSo: () => boolean) => {
    for (let look = 0; !isSo(); look += 1) {
      assert.ok(look < 2_000, JSON.stringify(asked));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { url: `http://127.0.0.1:${port}`, asked, waiting, until };
}

test('a subscription whose client left before the reply is ended', async (t) => {
  const node = await startSlowNode(t);
  const client = { isGone: false, notify: () => undefined, end: () => undefined };
  const subscriptions = new NodeSubscriptions();
  t.after(() => subscriptions.close());
  const added = subscriptions.add(node.url, client satisfies Subscriber, ['logs', {}]);
  await node.until(() => node.waiting.length === 1);
  client.isGone = true;
  await subscriptions.removeAll(client);
  assert.ok(!node.asked.some(({ method }) => method === 'eth_unsubscribe'));
  node.waiting[0]?.();
  const id = await added;
  assert.deepEqual(
    node.asked.filter(({ method }) => method === 'eth_unsubscribe').map(({ params }) => params),
    [[id]],
  );
});
