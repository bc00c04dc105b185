// Calls, credits and bytes by method; a daily budget that delays, and never refuses.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  createSceneAdapter,
  endScene,
  readHonestly,
  recordChain,
  startNode,
  TOKEN,
  toEvents,
} from '../../../../test/fakes/chain-scene.ts';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { BlockEvents } from '../../../model/block-events.ts';
import { EndpointPool } from '../../rpc/endpoint-pool.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import { RpcMeter } from '../../rpc/rpc-meter.ts';
import { EVM_FAMILY } from '../evm-family.ts';
import { createEvmDialect } from './evm-dialect.ts';

afterEach(endScene);

const HOUR_MS = 3_600_000;
const CREDITS = { methods: new Map([['eth_getLogs', 60]]), other: 20 };

test('credits are counted by method', () => {
  const budget = { credits: CREDITS, creditsPerDay: null };
  const meter = new RpcMeter({ clock: new ManualClock(), budget });
  meter.countCalls(['eth_getLogs', 'eth_call', 'eth_call']);
  meter.countBytes(['eth_getLogs'], { wireBytes: 100, bytes: 700 });
  assert.deepEqual(meter.listUsage(), [
    { method: 'eth_getLogs', calls: 1, credits: 60, bytes: 100, unpackedBytes: 700 },
    { method: 'eth_call', calls: 2, credits: 40, bytes: 0, unpackedBytes: 0 },
  ]);
  assert.equal(meter.waitMs, 0);
  assert.equal(meter.describeSlowed(), null);
});

test('the bytes of a batch are split, short replies aside', () => {
  const meter = new RpcMeter({ clock: new ManualClock() });
  const methods = ['eth_chainId', 'eth_getBlockByNumber', 'eth_getBlockByNumber'];
  meter.countBytes(methods, { wireBytes: 1030, bytes: 2060 });
  const bytes = new Map(meter.listUsage().map((one) => [one.method, one.bytes]));
  assert.equal(bytes.get('eth_chainId'), 30);
  assert.equal(bytes.get('eth_getBlockByNumber'), 1000);
});

test('in any 24 hours no more than the budget is spent, and all of it can be', async () => {
  const clock = new ManualClock();
  const creditsPerDay = 24_000;
  const meter = new RpcMeter({ clock, budget: { credits: CREDITS, creditsPerDay } });
  const spent: number[] = [];
  const sleep = async (ms: number) => clock.advance(ms);
  while (clock.monotonicMs() < 72 * HOUR_MS) {
    await meter.pace(sleep);
    meter.countCalls(['eth_call']);
    spent.push(clock.monotonicMs());
  }
  for (const fromMs of [0, HOUR_MS, 12 * HOUR_MS, 40 * HOUR_MS]) {
    const within = spent.filter((ms) => ms >= fromMs && ms < fromMs + 24 * HOUR_MS).length * 20;
    assert.ok(within <= creditsPerDay + 20, `${within} from ${fromMs}`);
    assert.ok(within >= creditsPerDay * 0.95, `${within} from ${fromMs}`);
  }
  assert.match(meter.describeSlowed() ?? '', /slowed down to keep within 24,000 credits a day/);
});

test('a budget that is not spent slows nothing down', async () => {
  const clock = new ManualClock();
  const meter = new RpcMeter({ clock, budget: { credits: CREDITS, creditsPerDay: 100_000 } });
  for (let n = 0; n < 100; n += 1) {
    await meter.pace(() => assert.fail('no wait'));
    meter.countCalls(['eth_call']);
    clock.advance(60_000);
  }
  assert.equal(meter.describeSlowed(), null);
});

test('with its budget spent an adapter is slower, fails nothing and reads all', async () => {
  const chain = recordChain();
  const node = await startNode(chain);
  const clock = new ManualClock();
  const endpoints = new EndpointPool([node.url], {
    ...{ clock, random: () => 0.5 },
    budget: { credits: { methods: new Map(), other: 1 }, creditsPerDay: 240 },
  });
  const sleep = async (ms: number) => clock.advance(ms);
  const limits = { timeoutMs: 60_000 };
  const adapter = createSceneAdapter([], { endpoints, clock, sleep, limits });
  const read: BlockEvents[] = [];
  for (let n = 0; n <= 60; n += 1) {
    await adapter.readHead();
    read.push(...(await adapter.readBlocks({ fromBlock: n, toBlock: n, linked: true })).blocks);
  }
  assert.deepEqual(toEvents(read), await readHonestly(chain));
  assert.ok(clock.monotonicMs() > HOUR_MS, `${clock.monotonicMs()} ms`);
  assert.ok(node.calls.length > 100);
  assert.equal(adapter.status?.().endpoints[0]?.failures, 0);
  assert.match(adapter.status?.().slowed ?? '', /240 credits a day/);
});

test('what a client waits for is never held up', async () => {
  const node = await startNode(recordChain());
  const clock = new ManualClock();
  const endpoints = new EndpointPool([node.url], {
    ...{ clock, random: () => 0.5 },
    budget: { credits: { methods: new Map(), other: 1000 }, creditsPerDay: 100 },
  });
  const limits = { timeoutMs: 5000, replyBytesMax: 1e6, batchCallsMax: 5, batchesMax: 1 };
  const client = new RpcClient({
    ...{ endpoints, dialect: createEvmDialect(1337), clock, random: () => 0.5, budgetMs: 5000 },
    limits: { ...limits, chainCheckMs: 1e9 },
    sleep: () => assert.fail('it waited'),
    log: { info: () => undefined, warn: () => undefined },
  });
  const call = { method: 'eth_blockNumber', params: [] } as const;
  for (let n = 0; n < 3; n += 1) assert.equal(await client.request(call), '0x3c');
  assert.ok(endpoints.meter.waitMs > 0);
  client.close();
});

test('what clients spend delays the background by a day at most', () => {
  const clock = new ManualClock();
  const meter = new RpcMeter({ clock, budget: { credits: CREDITS, creditsPerDay: 24_000 } });
  for (let n = 0; n < 100_000; n += 1) meter.countCalls(['eth_call']);
  assert.ok(meter.waitMs > 20 * HOUR_MS);
  clock.advance(24 * HOUR_MS);
  assert.equal(meter.waitMs, 0);
});

test('the lookup of a token is never held up', async () => {
  const node = await startNode(recordChain({ code: () => '0x' }));
  const clock = new ManualClock();
  const endpoints = new EndpointPool([node.url], {
    ...{ clock, random: () => 0.5 },
    budget: { credits: { methods: new Map(), other: 1000 }, creditsPerDay: 100 },
  });
  const header = (await createSceneAdapter([node]).readHeader(60)) ?? assert.fail();
  const sleep = () => assert.fail('it waited');
  const limits = { timeoutMs: 60_000 };
  const adapter = createSceneAdapter([], { endpoints, clock, sleep, limits });
  endpoints.meter.countCalls(['eth_call']);
  assert.ok(endpoints.meter.waitMs > 0);
  const query = { token: TOKEN, indexedFrom: 1, searchedFrom: 1 };
  assert.equal((await adapter.findToken?.(query, header))?.kind, 'noToken');
});

test('fees are never held up', async () => {
  const node = await startNode((method) =>
    method === 'eth_chainId'
      ? '0x2105'
      : method === 'eth_feeHistory'
        ? { baseFeePerGas: ['0x7'] }
        : '0x1',
  );
  const budget = { credits: { methods: new Map(), other: 1000 }, creditsPerDay: 100 };
  const source = { chain: 'base', endpoints: [node.url], budget, devnet: null } as const;
  const log = { info: () => undefined, warn: () => undefined };
  const nodes = EVM_FAMILY.markets?.open(
    { ...source, startBlock: null, instance: null },
    { clock: systemClock, log },
  );
  // The second waits for days if it is held up.
  for (let n = 0; n < 2; n += 1) {
    assert.equal((await nodes?.readFees(AbortSignal.timeout(60_000)))?.perUnit, 7n);
  }
  nodes?.close();
});

test('replies are asked for compressed, and counted as they came and unpacked', async () => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'0'.repeat(20_000)}` });
  const packed = gzipSync(text);
  let asked: string | undefined;
  const server = createServer((request, response) => {
    asked = request.headers['accept-encoding'];
    request.resume();
    response.setHeader('content-encoding', 'gzip');
    response.end(packed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const adapter = createSceneAdapter([], { endpoints: [url] });
  try {
    const [endpoint] = adapter.client.endpoints;
    await endpoint?.request({ method: 'eth_call', params: [] });
    assert.equal(asked, 'gzip');
    const [usage] = adapter.client.meter.listUsage();
    assert.equal(usage?.bytes, packed.length);
    assert.equal(usage?.unpackedBytes, text.length);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
