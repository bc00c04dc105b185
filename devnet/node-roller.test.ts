// A node that is replaced while clients use it: they get the answers that one node would give.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { after, before } from '../test/root-hooks.ts';
import { TEST_ADDRESSES } from './accounts.ts';
import { STATES_KEPT } from './anvil-node.ts';
import { toHexQuantity } from './block-writer.ts';
import { buildStatePath, findNodeProcesses } from './folder-lease.ts';
import { createJsonRpc, type DevnetRpcCall, type JsonRpc } from './json-rpc.ts';
import { type Devnet, startDevnet } from './start-devnet.ts';

const KEEPING = {
  ...{ archiveDepth: 4, transactionBlocks: 20, chunkBlocks: 4, stateBytes: 0 },
  rollBlocks: 30,
};
/** A generous limit: what never comes must fail the test. */
const WAIT_MAX_MS = 60_000;

let root: string;
let devnet: Devnet;
let rpc: JsonRpc;
const lines: string[] = [];

before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'mintwire-roller-')));
  devnet = await startDevnet({
    dataDir: root,
    traders: 'on',
    // Nothing happens by itself here: the tests mine and trade.
    pace: { blockMs: 0, actionMs: 1e8 },
    history: { hours: 1, blocksPerHour: 6, actionsPerBlock: 3 },
    seed: 'roller',
    log: (line) => lines.push(line),
    keeping: KEEPING,
  });
  rpc = createJsonRpc(devnet.rpcUrl);
});

after(async () => {
  rpc?.close();
  await devnet?.stop();
  await rm(root, { recursive: true, force: true });
});

async function readHead(): Promise<number> {
  return Number(await rpc.call<Hex>('eth_blockNumber'));
}

/** Mines until another node has taken over. */
async function roll(): Promise<void> {
  const { guardPid } = devnet.node;
  for (let n = 0; n < 6 * KEEPING.rollBlocks && devnet.node.guardPid === guardPid; n++) {
    await rpc.call('evm_mine');
  }
  assert.notEqual(devnet.node.guardPid, guardPid, lines.join('\n'));
}

function send(nonce?: Hex): Promise<Hex> {
  const [from, to] = TEST_ADDRESSES;
  return rpc.call<Hex>('eth_sendTransaction', {
    ...{ from, to, value: '0x1' },
    ...(nonce === undefined ? {} : { nonce }),
  });
}

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
}

function buildBlockCalls(last: number): DevnetRpcCall[] {
  return Array.from({ length: last + 1 }, (_, number) => toHexQuantity(number)).flatMap((tag) => [
    { method: 'eth_getBlockByNumber', params: [tag, true] },
    { method: 'eth_getBlockReceipts', params: [tag] },
  ]);
}

test('blocks, receipts, logs, states and fees are as before', async () => {
  await send();
  await rpc.call('evm_mine');
  const head = await readHead();
  const [account] = TEST_ADDRESSES;
  const tag = toHexQuantity(head);
  const { hash } = await rpc.call<Block>('eth_getBlockByNumber', tag, false);
  const calls = [
    ...buildBlockCalls(head),
    { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: tag }] },
    { method: 'eth_getBalance', params: [account, toHexQuantity(head - 1)] },
    { method: 'eth_getBalance', params: [account, tag] },
    { method: 'eth_getTransactionCount', params: [account, { blockHash: hash }] },
    {
      method: 'eth_call',
      params: [{ to: devnet.deployment.contracts.weth, data: '0x18160ddd' }, tag],
    },
  ];
  const atFirst = await rpc.batch(calls);
  await roll();
  for (const [index, answer] of (await rpc.batch(calls)).entries()) {
    assert.deepEqual(answer, atFirst[index], JSON.stringify(calls[index]));
  }
  await rpc.call('evm_mine');
  assert.deepEqual(await rpc.batch(calls), atFirst);
  assert.equal(await devnet.node.rpc.call('eth_getBlockByNumber', '0x1', false), null);
  const now = await readHead();
  const fees = await rpc.call<{ baseFeePerGas: Hex[]; gasUsedRatio: number[]; reward: Hex[][] }>(
    'eth_feeHistory',
    '0x10',
    'latest',
    [50],
  );
  assert.deepEqual([fees.baseFeePerGas.length, fees.gasUsedRatio.length], [17, 16]);
  const blocks = await rpc.batch<{ baseFeePerGas: Hex }>(
    Array.from({ length: 16 }, (_, index) => ({
      method: 'eth_getBlockByNumber',
      params: [toHexQuantity(now - 15 + index), false],
    })),
  );
  assert.deepEqual(
    fees.baseFeePerGas.slice(0, -1),
    blocks.map(({ baseFeePerGas }) => baseFeePerGas),
  );
});

test('waiting transactions, also those without a key, and settings go along', async () => {
  const stranger = '0x00000000000000000000000000000000000a11ce';
  await rpc.call('anvil_setBalance', stranger, toHexQuantity(10n ** 20n));
  await rpc.call('anvil_impersonateAccount', stranger);
  await rpc.call('anvil_setCoinbase', stranger);
  const [from, to] = TEST_ADDRESSES;
  const nonce = Number(await rpc.call<Hex>('eth_getTransactionCount', from, 'latest'));
  // A gap in its nonces keeps it waiting, whatever is mined.
  const waiting = await send(toHexQuantity(nonce + 1));
  const unsigned = await rpc.call<Hex>('eth_sendTransaction', {
    ...{ from: stranger, to, value: '0x1', nonce: '0x1' },
  });
  await roll();
  for (const hash of [waiting, unsigned]) {
    const found = await rpc.call<{ blockNumber: Hex | null } | null>(
      'eth_getTransactionByHash',
      hash,
    );
    assert.equal(found?.blockNumber, null);
  }
  await send(toHexQuantity(nonce));
  await rpc.call('eth_sendTransaction', { from: stranger, to, value: '0x1', nonce: '0x0' });
  await rpc.call('evm_mine');
  for (const hash of [waiting, unsigned]) {
    const receipt = await rpc.call<{ status: Hex } | null>('eth_getTransactionReceipt', hash);
    assert.equal(receipt?.status, '0x1');
  }
  const head = await rpc.call<{ miner: Hex }>('eth_getBlockByNumber', 'latest', false);
  assert.equal(head.miner, stranger);
});

/** A WebSocket client that collects what it is told. */
async function connect() {
  const socket = new WebSocket(devnet.rpcUrl.replace('http', 'ws'));
  const told: { id?: number; result?: unknown; error?: { code: number }; params?: unknown }[] = [];
  socket.addEventListener('message', ({ data }) => told.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  let lastId = 0;
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    const deadline = Date.now() + WAIT_MAX_MS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      assert.ok(Date.now() < deadline, JSON.stringify(told.slice(-3)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const ask = (method: string, ...params: unknown[]) => {
    lastId += 1;
    const id = lastId;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return until(() => told.find((one) => one.id === id));
  };
  const listHeads = (subscription: unknown) =>
    told
      .map(({ params }) => params as { subscription: string; result: Block } | undefined)
      .filter((params) => params?.subscription === subscription)
      .map((params) => Number(params?.result.number));
  return { ask, until, listHeads, close: () => socket.close() };
}

test('subscriptions and filters miss no block and tell none twice', async () => {
  const client = await connect();
  try {
    const { result: subscription } = await client.ask('eth_subscribe', 'newHeads');
    const filter = await rpc.call<Hex>('eth_newBlockFilter');
    const first = (await readHead()) + 1;
    await roll();
    await rpc.call('evm_mine');
    const last = await readHead();
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    await client.until(() => (client.listHeads(subscription).at(-1) === last ? true : undefined));
    assert.deepEqual(client.listHeads(subscription), numbers);
    const hashes = await rpc.call<Hex[]>('eth_getFilterChanges', filter);
    assert.equal(hashes.length, numbers.length);
    assert.equal((await client.ask('eth_unsubscribe', subscription)).result, true);
  } finally {
    client.close();
  }
});

test('over WebSocket the same methods are refused, and old blocks are answered', async () => {
  const client = await connect();
  try {
    for (const method of ['evm_setAutomine', 'anvil_setRpcUrl', 'no_such']) {
      assert.equal((await client.ask(method, true)).error?.code, -32_601, method);
    }
    assert.equal(await devnet.node.rpc.call('anvil_getAutomine'), false);
    const old = await client.ask('eth_getBlockByNumber', '0x1', true);
    assert.deepEqual(old.result, await rpc.call('eth_getBlockByNumber', '0x1', true));
    const head = await readHead();
    await client.ask('evm_mine');
    assert.equal(await readHead(), head + 1);
  } finally {
    client.close();
  }
});

test('a request that is not quite a call cannot reach the node past the list', async () => {
  for (const body of [
    '{"jsonrpc":"2.0","id":1,"method":"evm_setAutomine","params":null}',
    '[{"jsonrpc":"2.0","id":1,"method":"evm_setAutomine","params":[true]},7]',
  ]) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(devnet.rpcUrl, { method: 'POST', headers, body });
    assert.equal(((await answer.json()) as { error: { code: number } }).error.code, -32_600);
  }
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'anvil_setAutomine', params: [true] }];
  await fetch(devnet.rpcUrl, { method: 'POST', body: JSON.stringify(batch) });
  assert.equal(await devnet.node.rpc.call('anvil_getAutomine'), false);
});

test('a reorganisation deeper than the new node goes, because the one before returns', async () => {
  await roll();
  await rpc.call('evm_mine');
  await rpc.call('evm_mine');
  const head = await readHead();
  const read = async (number: number) =>
    rpc.call<Block>('eth_getBlockByNumber', toHexQuantity(number), false);
  const [kept, replaced] = [await read(head - 4), await read(head - 3)];
  await rpc.call('anvil_reorg', 4, []);
  assert.equal(await readHead(), head);
  assert.equal((await read(head - 4)).hash, kept.hash);
  assert.notEqual((await read(head - 3)).hash, replaced.hash);
  for (let number = head - 5; number < head; number++) {
    assert.equal((await read(number + 1)).parentHash, (await read(number)).hash);
  }
  // States of the kept blocks are there, as on one node.
  assert.ok(await rpc.call('eth_getBalance', TEST_ADDRESSES[0], toHexQuantity(head - 5)));
});

test('a snapshot delays it, and an id of a node before is no snapshot of the next', async () => {
  // The node that returned in the last test stays for a while.
  await rpc.call('anvil_mine', toHexQuantity(STATES_KEPT));
  await roll();
  const snapshot = await rpc.call<Hex>('evm_snapshot');
  const { guardPid } = devnet.node;
  const head = await readHead();
  await rpc.call('anvil_mine', toHexQuantity(KEEPING.rollBlocks + 5));
  assert.equal(devnet.node.guardPid, guardPid);
  assert.equal(await rpc.call('evm_revert', snapshot), true);
  assert.equal(await readHead(), head);
  const lost = await rpc.call<Hex>('evm_snapshot');
  await rpc.call('anvil_mine', toHexQuantity(2 * KEEPING.rollBlocks + 5));
  assert.notEqual(devnet.node.guardPid, guardPid);
  await rpc.call('evm_snapshot');
  assert.equal(await rpc.call('evm_revert', lost), false);
});

test('if no node can take over, the old one goes on and a later one takes over', async () => {
  await roll();
  const { guardPid } = devnet.node;
  const obstacle = `${buildStatePath(root)}.trimmed`;
  await mkdir(obstacle);
  const head = await readHead();
  const count = KEEPING.rollBlocks + 5;
  await rpc.call('anvil_mine', toHexQuantity(count));
  assert.equal(devnet.node.guardPid, guardPid);
  assert.match(lines.at(-1) ?? '', /could not be replaced/);
  await send();
  await rpc.call('evm_mine');
  assert.equal(await readHead(), head + count + 1);
  await rm(obstacle, { recursive: true });
  await roll();
});

test('a block that the node mines while another is to take over is not lost', async () => {
  const { guardPid, rpc: direct } = devnet.node;
  const known = new Set(findNodeProcesses(buildStatePath(root)).map(({ pid }) => pid));
  const mining = rpc.call('anvil_mine', toHexQuantity(KEEPING.rollBlocks + 5));
  const deadline = Date.now() + WAIT_MAX_MS;
  // Past the devnet, as a node does that mines by itself.
  while (findNodeProcesses(buildStatePath(root)).every(({ pid }) => known.has(pid))) {
    assert.ok(Date.now() < deadline, 'no node was started');
    await sleep(10);
  }
  await direct.call('evm_mine');
  const mined = await direct.call<Block>('eth_getBlockByNumber', 'latest', false);
  await mining;
  assert.equal(devnet.node.guardPid, guardPid);
  assert.match(lines.at(-1) ?? '', /could not be replaced: .*a block was mined meanwhile/);
  const { hash } = await rpc.call<Block>('eth_getBlockByNumber', mined.number, false);
  assert.equal(hash, mined.hash);
});

test('the saved state stays as small, however many blocks there are', async () => {
  const text = await readFile(buildStatePath(root), 'utf8');
  const { blocks } = JSON.parse(text) as { blocks: unknown[] };
  const { archiveDepth, chunkBlocks } = KEEPING;
  assert.ok((await readHead()) > 10 * KEEPING.rollBlocks);
  // The first block and the newest.
  assert.ok(blocks.length <= 2 + archiveDepth + 3 * chunkBlocks, String(blocks.length));
});
