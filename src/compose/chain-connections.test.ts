// All uses of a chain's endpoints share what is known of them, and their connections.

import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { type MisbehavingRpc, startMisbehavingRpc } from '../../test/fakes/misbehaving-rpc.ts';
import { ChainConnections, type ConnectionUse } from './chain-connections.ts';

const CHAIN_ID = 1337;
const GAS_PRICE = { method: 'eth_gasPrice', params: [] } as const;
const SILENT = { info: () => undefined, warn: () => undefined };

function toUse(budgetMs: number): ConnectionUse {
  return {
    budgetMs,
    limits: {
      ...{ timeoutMs: 60_000, replyBytesMax: 1 << 20, batchCallsMax: 10 },
      ...{ batchesMax: 2, chainCheckMs: 60_000 },
    },
  };
}

const QUOTES = toUse(10_000);
const BUILDS = toUse(8000);

async function startNode(t: TestContext): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc((method) => (method === 'eth_chainId' ? '0x539' : '0x7'));
  t.after(() => node.stop());
  return node;
}

/** The clock stands still: what is put aside stays there. */
function createConnections(t: TestContext, endpoints: readonly string[]) {
  const connections = new ChainConnections({ clock: new ManualClock(), log: SILENT });
  const open = (use: ConnectionUse, urls = endpoints) => {
    const client = connections.open({ chain: 'devnet', chainId: CHAIN_ID, endpoints: urls }, use);
    t.after(() => client.close());
    return client;
  };
  return { open };
}

describe('the connections of a chain', () => {
  it('put an endpoint that fails for quotes aside for builds, too', async (t) => {
    const [first, second] = [await startNode(t), await startNode(t)];
    const { open } = createConnections(t, [first.url, second.url]);
    const [quotes, builds] = [open(QUOTES), open(BUILDS)];
    first.misbehave(() => ({ do: 'reply', status: 503, text: 'busy' }));
    assert.equal(await quotes.request(GAS_PRICE), '0x7');
    const asked = first.requests;
    assert.ok(asked > 0, 'the first endpoint was never asked');
    assert.equal(await builds.request(GAS_PRICE), '0x7');
    assert.equal(first.requests, asked);
    assert.ok(builds.endpoints.every(({ health }, index) => health.waitMs > 0 === (index === 0)));
    // Who comes later knows it, too.
    assert.equal(await open(QUOTES).request(GAS_PRICE), '0x7');
    assert.equal(first.requests, asked);
  });

  it('check the chain of an endpoint once for all', async (t) => {
    const node = await startNode(t);
    const { open } = createConnections(t, [node.url]);
    for (const use of [QUOTES, BUILDS, QUOTES]) await open(use).request(GAS_PRICE);
    assert.equal(node.calls.filter(({ method }) => method === 'eth_chainId').length, 1);
  });

  it('stay open for the others when one is closed', async (t) => {
    const node = await startNode(t);
    const { open } = createConnections(t, [node.url]);
    const [quotes, builds] = [open(QUOTES), open(BUILDS)];
    await quotes.request(GAS_PRICE);
    const answer = builds.request(GAS_PRICE);
    quotes.close();
    quotes.close();
    assert.equal(await answer, '0x7');
  });

  it('forget what was known when the endpoints change', async (t) => {
    const [old, next] = [await startNode(t), await startNode(t)];
    const { open } = createConnections(t, [old.url]);
    old.misbehave(() => ({ do: 'reply', status: 503, text: 'gone' }));
    await assert.rejects(open(toUse(0)).request(GAS_PRICE));
    assert.equal(await open(QUOTES, [next.url]).request(GAS_PRICE), '0x7');
  });

  it('have sixteen requests under way at an endpoint, whoever made them', async (t) => {
    const held: (() => void)[] = [];
    let [underWay, most] = [0, 0];
    const answer = (response: ServerResponse, body: string) => {
      underWay -= 1;
      const { id, method } = JSON.parse(body);
      const result = method === 'eth_chainId' ? '0x539' : '0x7';
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    let isHolding = false;
    const server = createServer(async (request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      if (isHolding) held.push(() => answer(response, body));
      else answer(response, body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { open } = createConnections(t, [`http://127.0.0.1:${port}`]);
    const clients = [open(QUOTES), open(BUILDS)];
    for (const { endpoints } of clients) {
      for (const { health } of endpoints) health.observeChain();
    }
    isHolding = true;
    const answers = clients.flatMap((client) =>
      Array.from({ length: 20 }, () => client.request(GAS_PRICE)),
    );
    while (held.length < 16) await delay(5);
    // Whatever more would come has time to.
    await delay(50);
    isHolding = false;
    for (const release of held) release();
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(['0x7']));
    assert.equal(most, 16);
  });
});
