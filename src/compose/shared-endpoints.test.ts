// Two threads share the health of an endpoint and one budget.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  type MisbehavingRpc,
  type Mischief,
  startMisbehavingRpc,
} from '../../test/fakes/misbehaving-rpc.ts';
import type { NodeThreadInput } from '../../test/node-thread.ts';
import type { ChainNodes } from '../chains/chain-nodes.ts';
import { endThread } from '../chains/endpoint-memory.ts';
import { ChainConnections } from '../engines/chain-connections.ts';
import { systemClock } from '../lib/clock.ts';

const SILENT = { info: () => undefined, warn: () => undefined };

interface Threads {
  readonly nodes: ChainNodes;
  readonly memory: SharedArrayBuffer;
  readonly worker: Worker;
  /** Sends this many concurrent requests in the other thread. */
  askThere(count?: number): Promise<string[]>;
}

async function startThreads(t: TestContext, endpoints: readonly string[]): Promise<Threads> {
  const source = {
    ...{ endpoints, devnet: null, startBlock: null, instance: null },
    chain: 'ethereum' as const,
  };
  const connections = new ChainConnections({ clock: systemClock, log: SILENT });
  t.after(() => connections.close());
  const { nodes, memory } = connections.connect(source);
  const workerData: NodeThreadInput = { source, shared: { memory, thread: 'indexer' } };
  const worker = new Worker(new URL('../../test/node-thread.ts', import.meta.url), { workerData });
  t.after(() => worker.terminate());
  await once(worker, 'message');
  const askThere = async (count = 1) => {
    worker.postMessage(count);
    const [answers] = await once(worker, 'message');
    return answers as string[];
  };
  return { nodes, memory, worker, askThere };
}

async function startNode(t: TestContext, chainId = '0x1'): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc((method) => (method === 'eth_chainId' ? chainId : '0x7'));
  t.after(() => node.stop());
  return node;
}

function countStates(nodes: ChainNodes) {
  const adapter = nodes.createAdapter({ knownPools: async () => [], verification: 'linked' });
  void adapter.close();
  return adapter.status?.().endpoints.map(({ state, requests }) => ({ state, requests }));
}

/** Long enough that it is not asked again while a test runs. */
const LIMITED: Mischief = () => ({
  do: 'reply',
  status: 429,
  text: 'slow down',
  headers: { 'retry-after': '3000' },
});

describe('two threads at one pool of endpoints', () => {
  it('do not ask an endpoint that limited the other', async (t) => {
    const [first, second] = [await startNode(t), await startNode(t)];
    const { nodes, askThere } = await startThreads(t, [first.url, second.url]);
    first.misbehave(LIMITED);
    assert.deepEqual(await askThere(), ['7']);
    assert.equal(first.requests, 1);
    assert.equal(await nodes.transactions.readHead(), 7);
    assert.equal(first.requests, 1);
    const states = countStates(nodes);
    assert.deepEqual(
      states?.map(({ state }) => state),
      ['waiting', 'healthy'],
    );
    // The sum of both threads.
    assert.deepEqual(
      states?.map(({ requests }) => requests),
      [first.requests, second.requests],
    );
  });

  it('share failures in both directions', async (t) => {
    const [first, second] = [await startNode(t), await startNode(t)];
    const { nodes, askThere } = await startThreads(t, [first.url, second.url]);
    first.misbehave(LIMITED);
    assert.equal(await nodes.transactions.readHead(), 7);
    assert.deepEqual(await askThere(), ['7']);
    assert.equal(first.requests, 1);
  });

  it('never ask an endpoint again that one of them found on another chain', async (t) => {
    const [wrong, right] = [await startNode(t, '0x5'), await startNode(t)];
    const { nodes, askThere } = await startThreads(t, [wrong.url, right.url]);
    assert.deepEqual(await askThere(), ['7']);
    assert.equal(await nodes.transactions.readHead(), 7);
    // Before it is not used, it is asked once more.
    assert.equal(wrong.requests, 2);
    assert.equal(countStates(nodes)?.[0]?.state, 'refused');
  });

  it('check the chain of an endpoint once for both', async (t) => {
    const node = await startNode(t);
    const { nodes, askThere } = await startThreads(t, [node.url]);
    await askThere();
    await nodes.transactions.readHead();
    assert.equal(node.count('eth_chainId'), 1);
  });
});

/** Holds every request back until it is released. */
async function startHoldingNode(t: TestContext) {
  const held: (() => void)[] = [];
  const answer = (response: ServerResponse, body: string) => {
    const calls = [JSON.parse(body)].flat() as { id: number; method: string }[];
    const replies = calls.map(({ id, method }) => {
      return { jsonrpc: '2.0', id, result: method === 'eth_chainId' ? '0x1' : '0x7' };
    });
    response.end(JSON.stringify(body.startsWith('[') ? replies : replies[0]));
  };
  const state = { isHolding: false, held };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (state.isHolding) held.push(() => answer(response, body));
    else answer(response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, state };
}

/** Gives further requests the time to arrive. */
async function settle(held: readonly unknown[], count: number): Promise<void> {
  while (held.length < count) await delay(5);
  await delay(50);
}

describe('the budget of an endpoint', () => {
  it('is sixteen requests under way in all, with four kept for each thread', async (t) => {
    const { url, state } = await startHoldingNode(t);
    const { nodes, askThere } = await startThreads(t, [url]);
    await askThere();
    state.isHolding = true;
    const there = askThere(20);
    await settle(state.held, 12);
    assert.equal(state.held.length, 12);
    const here = Array.from({ length: 20 }, () => nodes.transactions.readHead());
    await settle(state.held, 16);
    assert.equal(state.held.length, 16);
    state.isHolding = false;
    for (const release of state.held) release();
    assert.deepEqual(new Set(await there), new Set(['7']));
    assert.deepEqual(new Set(await Promise.all(here)), new Set([7]));
  });

  it('wakes the thread that waits when the other is done', async (t) => {
    const { url, state } = await startHoldingNode(t);
    const { nodes, askThere } = await startThreads(t, [url]);
    await askThere();
    state.isHolding = true;
    const there = askThere(12);
    await settle(state.held, 12);
    const here = Array.from({ length: 8 }, () => nodes.transactions.readHead());
    await settle(state.held, 16);
    for (const release of state.held.splice(0, 12)) release();
    await there;
    await settle(state.held, 8);
    assert.equal(state.held.length, 8);
    for (const release of state.held) release();
    await Promise.all(here);
  });

  it('is released when a thread ends in the middle of its requests', async (t) => {
    const { url, state } = await startHoldingNode(t);
    const { nodes, memory, worker, askThere } = await startThreads(t, [url]);
    await askThere();
    state.isHolding = true;
    void askThere(12).catch(() => undefined);
    await settle(state.held, 12);
    await worker.terminate();
    state.held.length = 0;
    const here = Array.from({ length: 12 }, () => nodes.transactions.readHead());
    await settle(state.held, 4);
    assert.equal(state.held.length, 4);
    endThread({ memory, thread: 'indexer' });
    await settle(state.held, 12);
    state.isHolding = false;
    for (const release of state.held) release();
    await Promise.all(here);
  });
});
