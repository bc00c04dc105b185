// Reading ranges: the results, the number of requests, and the parts when nodes refuse.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  ALL,
  address,
  createSceneAdapter,
  endScene,
  LINKED,
  PAIR,
  readHonestly,
  recordChain,
  startNode,
  TOKEN,
  TRADER,
  toEvents,
  transfer,
} from '../../../../test/fakes/chain-scene.ts';
import { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import { RpcFault } from '../../../../test/fakes/misbehaving-rpc.ts';
import { poolId } from '../../../../test/test-ids.ts';

afterEach(endScene);

test('a range has its pools, reserves, swaps with senders, and transfers', async () => {
  const { blocks, headers, toBlock } = await createSceneAdapter([
    await startNode(recordChain()),
  ]).readBlocks(ALL);
  assert.equal(toBlock, 60);
  assert.deepEqual(headers, []);
  assert.deepEqual(
    blocks[0]?.events.map((event) => event.kind),
    ['poolCreated'],
  );
  const block9 = blocks.find(({ header }) => header.position === 9)!;
  assert.deepEqual(
    block9.events.map((event) => event.kind),
    ['transfer', 'poolChanged', 'swap', 'poolChanged', 'swap'],
  );
  const swaps = block9.events.filter((event) => event.kind === 'swap');
  assert.deepEqual(
    swaps.map(({ wallet, amount0, amount1 }) => [wallet, amount0, amount1]),
    [
      [TRADER, 9n, -10n],
      [address(9), 509n, -510n],
    ],
  );
  assert.ok(blocks.every(({ header }) => header.position % 7 !== 0));
});

test('linked, unlinked, with and without times in logs: the same events', async () => {
  const expected = await readHonestly(recordChain());
  for (const blockTimestamps of [true, false]) {
    const adapter = createSceneAdapter([await startNode(recordChain({ blockTimestamps }))]);
    for (const range of [ALL, LINKED]) {
      const { blocks, headers } = await adapter.readBlocks(range);
      assert.deepEqual(toEvents(blocks), expected);
      assert.equal(blocks.at(-1)?.header.timestampMs, 1_700_000_120_000);
      assert.equal(headers.length, range.linked ? 61 : 0);
    }
  }
});

test('transfers with times cost one request, and nothing else', async () => {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true });
  for (let n = 1; n <= 50; n += 1) chain.add([{ from: TRADER, logs: [transfer(n)] }]);
  const node = await startNode(chain);
  const adapter = createSceneAdapter([node]);
  await adapter.readBlocks({ fromBlock: 1, toBlock: 10, linked: false });
  const before = node.requests;
  await adapter.readBlocks({ fromBlock: 11, toBlock: 50, linked: false });
  assert.equal(node.requests - before, 1);
});

test('blocks near the head are read in one request; without receipts in three', async () => {
  const node = await startNode(recordChain());
  const adapter = createSceneAdapter([node]);
  await adapter.readHead();
  await adapter.readBlocks(LINKED);
  const before = node.requests;
  await adapter.readBlocks({ fromBlock: 57, toBlock: 59, linked: true });
  assert.equal(node.requests - before, 1, 'receipts and headers');
  node.misbehave(({ method }) =>
    method === 'eth_getBlockReceipts' ? { do: 'error', code: -32601, message: 'no' } : null,
  );
  await adapter.readBlocks({ fromBlock: 59, toBlock: 59, linked: true });
  const without = node.requests;
  await adapter.readBlocks({ fromBlock: 59, toBlock: 59, linked: true });
  assert.equal(node.requests - without, 3, 'logs, full block, receipts of the last transactions');
});

const REFUSALS: readonly [string, (blocks: number) => string][] = [
  [
    'with a suggestion',
    () => 'query returned more than 10000 results. Try with this block range [0x0, 0x3].',
  ],
  [
    'with the same range again',
    (blocks) => `this block range should work: [0x0, 0x${(blocks - 1).toString(16)}]`,
  ],
  ['with a maximum', () => 'eth_getLogs is limited to a 4 block range'],
  ['without a word of help', () => 'block range is too wide'],
  ['vaguely', () => 'limit exceeded'],
];

for (const [name, message] of REFUSALS) {
  test(`ranges refused ${name} are read in parts, without loss`, async () => {
    const chain = recordChain();
    const node = await startNode(chain);
    node.misbehave(({ method, params }) => {
      if (method !== 'eth_getLogs') return null;
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      const blocks = Number(toBlock) - Number(fromBlock) + 1;
      return blocks > 4 ? { do: 'error', code: -32005, message: message(blocks) } : null;
    });
    const { blocks } = await createSceneAdapter([node]).readBlocks(ALL);
    assert.deepEqual(toEvents(blocks), await readHonestly(chain));
  });
}

test('a range that only times out is read in parts, without waits', async () => {
  const chain = recordChain();
  const node = await startNode(chain);
  node.misbehave(({ method, params }) => {
    if (method !== 'eth_getLogs') return null;
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    return Number(toBlock) - Number(fromBlock) > 20 ? { do: 'hang' } : null;
  });
  const adapter = createSceneAdapter([node]);
  const { blocks } = await adapter.readBlocks(ALL);
  assert.deepEqual(toEvents(blocks), await readHonestly(chain));
  assert.equal(adapter.status?.().endpoints[0]?.failures, 0, 'parts are asked for at once');
});

test('a single block that is too large is read from its receipts', async () => {
  const chain = recordChain();
  const node = await startNode(chain);
  node.misbehave(({ method, params }) => {
    if (method !== 'eth_getLogs') return null;
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    const has9 = Number(fromBlock) <= 9 && Number(toBlock) >= 9;
    return has9 ? { do: 'error', code: -32000, message: 'too many results' } : null;
  });
  for (const range of [ALL, LINKED]) {
    const { blocks } = await createSceneAdapter([node]).readBlocks(range);
    assert.deepEqual(toEvents(blocks), await readHonestly(chain));
  }
});

test('reading stops early when there are enough events, and reports where', async () => {
  const adapter = createSceneAdapter([await startNode(recordChain())], {
    span: { blocksStart: 5 },
  });
  const first = await adapter.readBlocks({ ...ALL, eventCountMax: 10 });
  assert.ok(first.toBlock < 60);
  const rest = await adapter.readBlocks({ ...ALL, fromBlock: first.toBlock + 1 });
  assert.deepEqual(toEvents([...first.blocks, ...rest.blocks]), await readHonestly(recordChain()));
});

const SMALL = { span: { blocksStart: 5, blocksMax: 5 } };
const PIECE = { ...ALL, eventCountMax: 12, blockCountMax: 40 };

const AT_ONCE = 4;

/** A node that counts the log queries which it is asked at the same time, and waits for as many. */
async function startCounting({ hasReceipts = true } = {}) {
  const chain = recordChain();
  const count = { now: 0, most: 0 };
  const all = Promise.withResolvers<void>();
  const node = await startNode(async (method, params) => {
    if (method === 'eth_getBlockReceipts' && !hasReceipts) {
      throw new RpcFault(-32_601, `the method ${method} does not exist/is not available`);
    }
    if (method !== 'eth_getLogs') return chain.answer(method, params);
    count.now += 1;
    count.most = Math.max(count.most, count.now);
    if (count.now === AT_ONCE) all.resolve();
    await Promise.race([all.promise, setTimeout(5000)]);
    count.now -= 1;
    return chain.answer(method, params);
  });
  return { chain, node, count };
}

test('several chunks of history are read at once, each of them once', async () => {
  const { chain, node, count } = await startCounting();
  const adapter = createSceneAdapter([node], { ...SMALL, limits: { timeoutMs: 60_000 } });
  const { signal } = new AbortController();
  const blocks = [];
  for (let fromBlock = 0; fromBlock <= 60; ) {
    const piece = await adapter.readBlocks({ ...PIECE, fromBlock }, signal);
    blocks.push(...piece.blocks);
    fromBlock = piece.toBlock + 1;
  }
  assert.deepEqual(toEvents(blocks), await readHonestly(chain));
  assert.equal(count.most, AT_ONCE);
  assert.equal(node.count('eth_getLogs'), 13);
  assert.equal(node.count('eth_call'), 0, 'a pool is known from the chunk before');
});

test('several chunks near the head are read at once, each of them once', async () => {
  const { chain, node, count } = await startCounting({ hasReceipts: false });
  const adapter = createSceneAdapter([node], { ...SMALL, limits: { timeoutMs: 60_000 } });
  const { blocks } = await adapter.readBlocks(LINKED);
  assert.deepEqual(toEvents(blocks), await readHonestly(chain));
  assert.equal(count.most, AT_ONCE);
  assert.equal(node.count('eth_getLogs'), 13);
});

for (const [where, range] of [
  ['in history', ALL],
  ['near the head', LINKED],
] as const) {
  test(`blocks before one that no endpoint can read are returned ${where}`, async () => {
    const chain = recordChain();
    const node = await startNode(chain);
    let isBehind = true;
    node.misbehave(({ params }) => {
      const isLater = /"0x[23]."/.test(JSON.stringify(params));
      return isBehind && isLater
        ? { do: 'error', code: -32000, message: 'header not found' }
        : null;
    });
    const adapter = createSceneAdapter([node], { ...SMALL, budgetMs: 300 });
    const first = await adapter.readBlocks(range);
    assert.ok(first.toBlock >= 10 && first.toBlock < 0x20, `${first.toBlock}`);
    isBehind = false;
    const rest = await adapter.readBlocks({ ...range, fromBlock: first.toBlock + 1 });
    assert.deepEqual(toEvents([...first.blocks, ...rest.blocks]), await readHonestly(chain));
  });
}

test('a request that fails among others is repeated, and what was answered is kept', async () => {
  const chain = recordChain();
  const node = await startNode(chain);
  node.misbehave(({ method, seen }) =>
    method === 'eth_getBlockByNumber' && seen % 20 === 13
      ? { do: 'reply', status: 502, text: '' }
      : null,
  );
  const adapter = createSceneAdapter([node], { limits: { batchCallsMax: 4, batchesMax: 1 } });
  const { blocks } = await adapter.readBlocks(LINKED);
  assert.deepEqual(toEvents(blocks), await readHonestly(chain));
  const asked = node.count('eth_getBlockByNumber');
  assert.ok(asked > 61 && asked <= 61 + 5 * 4, `${asked}`);
  assert.equal(adapter.status?.().endpoints[0]?.state, 'healthy');
});

for (const only of [undefined, { tokens: new Set([TOKEN]), pools: new Set([poolId(PAIR)]) }]) {
  test(`a block that one reply lacks is asked for alone${only ? ', filtered' : ''}`, async () => {
    const range = { ...LINKED, ...(only ? { only } : {}) };
    const [honest, lacking] = [await startNode(recordChain()), await startNode(recordChain())];
    lacking.misbehave(({ method, seen }) =>
      method === 'eth_getBlockByNumber' && seen === 13
        ? { do: 'change', change: () => null }
        : null,
    );
    for (const node of [honest, lacking]) {
      const { headers } = await createSceneAdapter([node]).readBlocks(range);
      assert.equal(headers.length, 61);
    }
    const count = (node: typeof honest) => node.count('eth_getBlockByNumber');
    assert.equal(count(lacking), count(honest) + 1);
  });
}

test('chunks that fail while others are read lose and repeat nothing', async () => {
  const chain = recordChain({ blockTimestamps: false });
  const node = await startNode(chain);
  node.misbehave(({ method, seen }) =>
    method === 'eth_getBlockByNumber' && seen % 11 === 5
      ? { do: 'error', code: -32603, message: 'internal error' }
      : null,
  );
  const { blocks } = await createSceneAdapter([node], SMALL).readBlocks(ALL);
  assert.deepEqual(toEvents(blocks), await readHonestly(chain));
});

for (const [what, code, message, blocksMax] of [
  ['without an address, by receipts', -32701, 'Please specify an address in your request', 0],
  ['in words that nobody knows, in parts', -39, 'the moon is full', 7],
  ['as a wrong request, in parts', -32602, 'invalid params', 7],
  ['because it took too long, in parts', -32002, 'request timed out', 7],
] as const) {
  test(`logs that are refused ${what}, are all read`, async () => {
    const chain = recordChain();
    const node = await startNode(chain);
    node.misbehave(({ method, params }) => {
      if (method !== 'eth_getLogs') return null;
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      const isRefused = Number(toBlock) - Number(fromBlock) >= blocksMax;
      return isRefused ? { do: 'error', code, message } : null;
    });
    for (const range of [ALL, LINKED]) {
      const { blocks } = await createSceneAdapter([node]).readBlocks(range);
      assert.deepEqual(toEvents(blocks), await readHonestly(chain));
    }
    assert.ok(node.count('eth_getLogs') < 60, `${node.count('eth_getLogs')} queries`);
  });
}
