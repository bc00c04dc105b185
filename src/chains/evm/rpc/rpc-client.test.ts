// Endpoints that fail in every way a network allows: work moves on, and false data is rejected.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import {
  type MisbehavingRpc,
  startMisbehavingRpc,
} from '../../../../test/fakes/misbehaving-rpc.ts';
import { type Log, RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { createEvmDialect } from './evm-dialect.ts';
import type { RpcMethod } from './rpc-method.ts';

const CHAIN_ID = 1337;
const BLOCK_NUMBER = { method: 'eth_blockNumber', params: [] } as const;

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function startNode(chainId = CHAIN_ID, blocks = 3): Promise<MisbehavingRpc> {
  const chain = new MemoryChain({ chainId, blockTimestamps: true });
  for (let n = 0; n < blocks; n += 1) chain.add([]);
  const node = await startMisbehavingRpc(chain.answer);
  cleanups.push(() => node.stop());
  return node;
}

/** A client on a clock that only moves when it sleeps, so that waits can be added up. */
function createClient(nodes: readonly MisbehavingRpc[], budgetMs = 60_000, timeoutMs = 1000) {
  const clock = new ManualClock();
  const waits: number[] = [];
  const warnings: { fields: Record<string, unknown>; message: string }[] = [];
  const log: Log = {
    info: () => {},
    warn: (fields, message) =>
      warnings.push({ fields: fields as Record<string, unknown>, message }),
  };
  const client = new RpcClient({
    endpoints: nodes.map((node) => node.url),
    dialect: createEvmDialect(CHAIN_ID),
    clock,
    random: () => 0.999_999,
    log,
    budgetMs,
    sleep: async (ms) => {
      waits.push(ms);
      clock.advance(ms);
    },
    limits: {
      timeoutMs,
      replyBytesMax: 100_000,
      batchCallsMax: 20,
      batchesMax: 2,
      chainCheckMs: 15_000,
    },
  });
  cleanups.push(() => client.close());
  return { client, clock, waits, warnings };
}

test('a read is answered, and the chain id was asked first', async () => {
  const node = await startNode();
  const { client } = createClient([node]);
  assert.equal(await client.request(BLOCK_NUMBER), '0x3');
  assert.equal(node.calls[0]?.method, 'eth_chainId');
});

test('a method that could send never reaches the network', async () => {
  const node = await startNode();
  const { client } = createClient([node]);
  await client.request(BLOCK_NUMBER);
  const before = node.requests;
  for (const method of [
    'eth_sendRawTransaction',
    'eth_sendTransaction',
    'eth_sign',
    'anvil_mine',
  ]) {
    const call = { method: method as RpcMethod, params: [] };
    await assert.rejects(client.request(call), TypeError);
    await assert.rejects(
      client.at((endpoint) => endpoint.batch([BLOCK_NUMBER, call])),
      TypeError,
    );
  }
  assert.equal(node.requests, before);
});

for (const [name, misdeed] of [
  ['hangs', { do: 'hang' }],
  ['cuts the connection', { do: 'cut', after: 10 }],
  ['answers garbage', { do: 'reply', status: 200, text: '<html>busy</html>' }],
  ['answers 503', { do: 'reply', status: 503, text: 'upstream' }],
  ['answers 403', { do: 'reply', status: 403, text: 'forbidden' }],
  ['answers an empty body', { do: 'reply', status: 200, text: '' }],
  ['answers without a result', { do: 'reply', status: 200, text: '{"jsonrpc":"2.0","id":1}' }],
  ['answers another id', { do: 'reply', status: 200, text: '{"id":"zz","result":"0x9"}' }],
  [
    'redirects',
    { do: 'reply', status: 302, text: '', headers: { location: 'http://127.0.0.1:1' } },
  ],
] as const) {
  test(`when the first endpoint ${name}, the second answers`, async () => {
    const [bad, good] = [await startNode(), await startNode()];
    const { client, waits } = createClient([bad, good]);
    bad.misbehave(() => misdeed);
    assert.equal(await client.request(BLOCK_NUMBER), '0x3');
    assert.deepEqual(waits, [], 'nothing was waited for');
    assert.equal(client.endpoints[0]?.describeStatus().state, 'waiting');
    assert.equal(client.endpoints[1]?.describeStatus().state, 'healthy');
  });
}

test('an endpoint that recovers is used again, after its chain id', async () => {
  const [first, second] = [await startNode(), await startNode()];
  const { client, clock } = createClient([first, second]);
  first.misbehave(() => ({ do: 'reply', status: 500, text: '' }));
  await client.request(BLOCK_NUMBER);
  first.misbehave(null);
  const before = first.calls.length;
  await client.request(BLOCK_NUMBER);
  assert.equal(first.calls.length, before, 'not yet: it is waiting');
  clock.advance(1_000);
  await client.request(BLOCK_NUMBER);
  assert.equal(first.calls[before]?.method, 'eth_chainId');
  assert.equal(first.calls.at(-1)?.method, 'eth_blockNumber');
});

test('waits grow while the only endpoint fails, and the request succeeds in the end', async () => {
  const node = await startNode();
  const { client, waits } = createClient([node]);
  let failures = 0;
  node.misbehave(() => {
    failures += 1;
    return failures <= 4 ? { do: 'reply', status: 502, text: '' } : null;
  });
  assert.equal(await client.request(BLOCK_NUMBER), '0x3');
  assert.deepEqual(waits, [250, 500, 1_000, 2_000].slice(0, waits.length));
  assert.ok(waits.length >= 2);
});

test('Retry-After is waited for', async () => {
  const node = await startNode();
  const { client, waits } = createClient([node]);
  node.misbehave(({ seen, method }) =>
    method === 'eth_blockNumber' && seen === 0
      ? { do: 'reply', status: 429, text: 'slow down', headers: { 'retry-after': '7' } }
      : null,
  );
  assert.equal(await client.request(BLOCK_NUMBER), '0x3');
  assert.equal(
    waits.reduce((sum, ms) => sum + ms, 0),
    7_000,
  );
});

test('without an answer within the budget the work fails and says why', async () => {
  const node = await startNode();
  const { client } = createClient([node], 5_000);
  node.misbehave(() => ({ do: 'reply', status: 500, text: '' }));
  await assert.rejects(client.request(BLOCK_NUMBER), (error) => {
    assert.ok(isRpcError(error, 'unavailable'));
    assert.match(error.message, /HTTP status 500/);
    return true;
  });
});

test('an endpoint of another chain is not used, and asked again ever more rarely', async () => {
  const [wrong, right] = [await startNode(1), await startNode()];
  const { client, clock, warnings } = createClient([wrong, right]);
  const minutes: number[] = [];
  for (let minute = 0; minute < 40; minute += 1) {
    const asked = wrong.calls.length;
    assert.equal(await client.request(BLOCK_NUMBER), '0x3');
    if (wrong.calls.length > asked) minutes.push(minute);
    assert.equal(client.endpoints[0]?.describeStatus().state, 'refused');
    clock.advance(60_000);
  }
  assert.deepEqual(minutes, [0, 1, 3, 7, 15, 25, 35]);
  assert.ok(wrong.calls.every(({ method }) => /chainId|blockNumber/.test(method)));
  assert.match(client.endpoints[0]?.describeStatus().lastError ?? '', /serves chain 1, not 1337/);
  assert.match(warnings[0]?.message ?? '', /another chain/);
});

/** Names another chain in so many answers. */
function nameAnother(node: MisbehavingRpc, times: number): void {
  const change = () => '0x1';
  node.misbehave(({ method, seen }) =>
    method === 'eth_chainId' && seen < times ? { do: 'change', change } : null,
  );
}

test('an endpoint that names another chain once is asked again, and used', async () => {
  const node = await startNode();
  const { client, waits } = createClient([node]);
  nameAnother(node, 1);
  assert.equal(await client.request(BLOCK_NUMBER), '0x3');
  assert.deepEqual(waits, [250]);
  assert.equal(client.endpoints[0]?.describeStatus().state, 'healthy');
});

test('an endpoint that named another chain twice is used again a minute later', async () => {
  const node = await startNode();
  const { client, clock } = createClient([node]);
  nameAnother(node, 2);
  await assert.rejects(client.request(BLOCK_NUMBER), (error) => isRpcError(error, 'wrongChain'));
  clock.advance(60_000);
  assert.equal(await client.request(BLOCK_NUMBER), '0x3');
  assert.equal(client.endpoints[0]?.describeStatus().state, 'healthy');
});

test('when every endpoint is of another chain, work fails at once', async () => {
  const { client } = createClient([await startNode(1)]);
  await assert.rejects(client.request(BLOCK_NUMBER), (error) => isRpcError(error, 'wrongChain'));
});

test('an endpoint that switches chains is noticed and refused', async () => {
  const [first, second] = [await startNode(), await startNode()];
  const { client, clock } = createClient([first, second]);
  await client.request(BLOCK_NUMBER);
  first.misbehave(({ method }) =>
    method === 'eth_chainId' ? { do: 'change', change: () => '0x1' } : null,
  );
  clock.advance(20_000);
  await client.request(BLOCK_NUMBER);
  assert.equal(client.endpoints[0]?.describeStatus().state, 'refused');
});

test('a lagging endpoint is skipped without a penalty', async () => {
  const [behind, ahead] = [await startNode(CHAIN_ID, 2), await startNode(CHAIN_ID, 9)];
  const { client } = createClient([behind, ahead]);
  assert.equal(await client.request(BLOCK_NUMBER, { minBlock: 8 }), '0x9');
  assert.equal(await client.request(BLOCK_NUMBER, { minBlock: 1 }), '0x2');
});

test('a refused batch is split, down to single calls, and remembered', async () => {
  const node = await startNode();
  const { client } = createClient([node]);
  node.misbehave(({ batch }) =>
    batch > 3
      ? { do: 'refuseBatch', message: 'batch of more than 3 requests is not allowed' }
      : null,
  );
  const calls = Array.from({ length: 30 }, () => BLOCK_NUMBER);
  for (let round = 0; round < 2; round += 1) {
    const outcomes = await client.at((endpoint) => endpoint.batch(calls));
    assert.equal(outcomes.length, 30);
    assert.ok(outcomes.every((outcome) => outcome.ok && outcome.result === '0x3'));
  }
  assert.ok(node.calls.slice(-30).every((call) => call.batch <= 3));
  node.misbehave(() => ({ do: 'refuseBatch', message: 'batch not supported' }));
  const outcomes = await client.at((endpoint) => endpoint.batch(calls.slice(0, 5)));
  assert.equal(outcomes.filter((outcome) => outcome.ok).length, 5);
});

test('batches grow again after requests that were refused without a reason', async () => {
  const node = await startNode();
  const { client, clock } = createClient([node]);
  const calls = Array.from({ length: 20 }, () => BLOCK_NUMBER);
  const ask = () => client.at((endpoint) => endpoint.batch(calls));
  await client.request(BLOCK_NUMBER);
  let left = 12;
  node.misbehave(({ batch }) => {
    left -= 1 / batch;
    return left >= 0 ? { do: 'reply', status: 400, text: '' } : null;
  });
  await ask().catch(() => null);
  node.misbehave(null);
  const countRequests = async () => {
    const before = node.requests;
    await ask();
    return node.requests - before;
  };
  assert.ok((await countRequests()) > 2);
  clock.advance(120_000);
  // From time to time a batch of twice the size is tried.
  for (let n = 0; n < 5; n += 1) {
    await countRequests();
    clock.advance(15_000);
  }
  assert.ok((await countRequests()) <= 2);
});

test('a batch of which some calls were refused for their rate is completed, not repeated', async () => {
  const node = await startNode();
  const { client } = createClient([node], 60_000, 10_000);
  const calls = Array.from({ length: 9 }, (_, n) => ({
    method: 'eth_getBlockByNumber' as const,
    params: [`0x${n % 4}`, n > 4],
  }));
  node.misbehave(({ method, seen }) =>
    method === 'eth_getBlockByNumber' && seen >= 3 && seen < 9
      ? { do: 'error', code: -32005, message: 'Too many requests' }
      : null,
  );
  const outcomes = await client.at((endpoint) => endpoint.batch(calls));
  assert.ok(outcomes.every(({ ok }) => ok));
  assert.equal(node.count('eth_getBlockByNumber'), 9 + 6);
});

test('a client is answered by another endpoint rather than wait for one that limits', async () => {
  const [limiting, free] = [await startNode(), await startNode()];
  const { client, waits } = createClient([limiting, free]);
  limiting.misbehave(() => ({ do: 'reply', status: 429, text: '' }));
  const outcomes = await client.at((endpoint) => endpoint.batch([BLOCK_NUMBER, BLOCK_NUMBER]));
  assert.ok(outcomes.every(({ ok }) => ok));
  assert.deepEqual(waits, []);
});

test('results come back to their own calls, whatever the order of the reply', async () => {
  const node = await startNode(CHAIN_ID, 9);
  const { client } = createClient([node]);
  const calls = Array.from({ length: 9 }, (_, n) => ({
    method: 'eth_getBlockByNumber' as const,
    params: [`0x${n.toString(16)}`, false],
  }));
  const outcomes = await client.at((endpoint) => endpoint.batch(calls));
  const numbers = outcomes.map((one) => one.ok && (one.result as { number: string }).number);
  assert.deepEqual(numbers, ['0x0', '0x1', '0x2', '0x3', '0x4', '0x5', '0x6', '0x7', '0x8']);
});

test('a reply above the size limit is an error of its own', async () => {
  const node = await startNode();
  const { client } = createClient([node]);
  node.misbehave(({ method }) =>
    method === 'eth_getBlockByNumber'
      ? { do: 'change', change: () => 'x'.repeat(1_000_000) }
      : null,
  );
  const call = { method: 'eth_getBlockByNumber', params: ['0x1', false] } as const;
  await assert.rejects(client.request(call), (error) => isRpcError(error, 'replyTooLarge'));
});

test('neither errors nor logs nor status show the key in the URL', async () => {
  const node = await startNode();
  const { client, warnings } = createClient([node], 3_000);
  const echo = {
    code: -32000,
    message: 'invalid project sEcReTkEy0123456789 for /v2/sEcReTkEy0123456789',
  };
  const mischief = [
    { do: 'error', ...echo },
    { do: 'reply', status: 500, text: 'sEcReTkEy0123456789' },
    { do: 'hang' },
  ] as const;
  const shown: string[] = [];
  for (const misdeed of mischief) {
    node.misbehave(() => misdeed);
    await client.request(BLOCK_NUMBER).catch((error: RpcError) => {
      assert.ok(error instanceof RpcError);
      shown.push(`${error.stack} ${JSON.stringify(error)} ${(error.cause as Error)?.stack}`);
    });
  }
  shown.push(
    JSON.stringify(warnings),
    JSON.stringify(client.endpoints.map((one) => one.describeStatus())),
  );
  assert.equal(shown.length, 5);
  assert.doesNotMatch(shown.join('\n'), /sEcReTkEy/i);
  assert.match(shown.join('\n'), /127\.0\.0\.1#0/);
});

test('an abort ends the work with its reason, also while it waits', async () => {
  const node = await startNode();
  const { client } = createClient([node]);
  node.misbehave(() => ({ do: 'hang' }));
  const controller = new AbortController();
  const reason = new Error('enough');
  const work = client.request(BLOCK_NUMBER, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  await assert.rejects(work, reason);
});

test('a method that no endpoint knows fails at once', async () => {
  const nodes = [await startNode(), await startNode()];
  const { client, waits } = createClient(nodes);
  const call = { method: 'eth_feeHistory', params: [] } as const;
  await assert.rejects(client.request(call), (error) => isRpcError(error, 'unsupported'));
  assert.deepEqual(waits, []);
});
