// The devnet's RPC server over a real node: old blocks are unchanged, and only the server mines.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Hex } from 'viem';
import { after, before } from '../test/root-hooks.ts';
import { TEST_ADDRESSES } from './accounts.ts';
import { HISTORY_CONTRACT } from './anvil-node.ts';
import { ArchiveKeeper, BlockLostError } from './archive-keeper.ts';
import { BlockArchive } from './block-archive.ts';
import { type BlockClock, startBlockClock } from './block-clock.ts';
import { toHexQuantity } from './block-writer.ts';
import { createFrontParts } from './front-parts.ts';
import { createJsonRpc, type DevnetRpcCall, type JsonRpc } from './json-rpc.ts';
import { type RpcFront, startRpcFront } from './rpc-front.ts';
import { startTestChain, type TestChain } from './test-chain.ts';

const CHUNK_BLOCKS = 8;
const KEEPING = {
  archiveDepth: 4,
  transactionBlocks: 4 + 4 * CHUNK_BLOCKS,
  chunkBlocks: CHUNK_BLOCKS,
  stateBytes: 0,
  rollBlocks: 1_000,
};

let root: string;
let chain: TestChain;
let archive: BlockArchive;
let keeper: ArchiveKeeper;
let clock: BlockClock;
let front: RpcFront;
let rpc: JsonRpc;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'mintwire-front-'));
  chain = await startTestChain({
    history: { blocks: 12, actionsPerBlock: 3 },
    transactionBlocksKept: KEEPING.transactionBlocks,
  });
  archive = new BlockArchive(join(root, 'blocks.sqlite'), CHUNK_BLOCKS);
  keeper = new ArchiveKeeper(chain.rpc, archive, KEEPING);
  clock = startBlockClock({ rpc: chain.rpc, intervalMs: 0, beforeBlock: () => keeper.keepUp() });
  front = await startRpcFront(0);
  rpc = createJsonRpc(front.url);
});

after(async () => {
  rpc?.close();
  await front?.close();
  await clock?.stop();
  archive?.close();
  await chain?.stop();
  await rm(root, { recursive: true, force: true });
});

function openFront(): void {
  front.open(createFrontParts({ rpc: chain.rpc, archive, keeper, clock }));
}

interface Block {
  readonly hash: Hex;
  readonly transactions: readonly { readonly hash: Hex }[];
}

/** All calls about the first blocks, including logs with several filters. */
async function buildQuestions(blockCount: number): Promise<DevnetRpcCall[]> {
  const tags = Array.from({ length: blockCount }, (_, number) => toHexQuantity(number));
  const blocks = await chain.rpc.batch<Block>(
    tags.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, true] })),
  );
  const { contracts, pools } = chain.deployment;
  const swapTopic = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67';
  const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const range = { fromBlock: '0x0', toBlock: toHexQuantity(blockCount - 1) };
  const filters = [
    range,
    { ...range, fromBlock: 'earliest', topics: [swapTopic] },
    { ...range, topics: [[swapTopic, transferTopic], null] },
    { ...range, topics: [null, null, null, null] },
    { ...range, address: contracts.weth.toUpperCase().replace('0X', '0x') },
    { ...range, address: [contracts.v4PoolManager, pools[0]?.id], topics: [[]] },
    { blockHash: blocks[blockCount - 1]?.hash },
    { fromBlock: toHexQuantity(blockCount - 5), toBlock: 'latest' },
  ];
  return [
    ...filters.map((filter) => ({ method: 'eth_getLogs', params: [filter] })),
    ...blocks.flatMap(({ hash, transactions }, number) => [
      { method: 'eth_getBlockByNumber', params: [toHexQuantity(number), true] },
      { method: 'eth_getBlockByNumber', params: [toHexQuantity(number), false] },
      { method: 'eth_getBlockByHash', params: [hash, false] },
      { method: 'eth_getBlockReceipts', params: [toHexQuantity(number)] },
      { method: 'eth_getBlockReceipts', params: [{ blockHash: hash }] },
      { method: 'eth_getBlockTransactionCountByHash', params: [hash] },
      { method: 'eth_getTransactionByBlockNumberAndIndex', params: [toHexQuantity(number), '0x0'] },
      ...transactions.slice(0, 2).flatMap((tx) => [
        { method: 'eth_getTransactionByHash', params: [tx.hash] },
        { method: 'eth_getTransactionReceipt', params: [tx.hash] },
      ]),
    ]),
  ];
}

test('before it is open it refuses requests', async () => {
  await assert.rejects(rpc.call('eth_chainId'), /the devnet is starting/);
});

test('blocks that the node has pruned are served unchanged', async () => {
  openFront();
  const head = await chain.readHead();
  const asked = CHUNK_BLOCKS * Math.floor(head / CHUNK_BLOCKS);
  const questions = await buildQuestions(asked);
  const atFirst = await chain.rpc.batch(questions);
  await rpc.call('anvil_mine', toHexQuantity(KEEPING.transactionBlocks));
  assert.ok(archive.blockCount >= asked);
  const tag = toHexQuantity(asked - 1);
  const own = await chain.rpc.call<Block>('eth_getBlockByNumber', tag, false);
  assert.deepEqual(own.transactions, []);
  const inOneBatch = await rpc.batch(questions);
  for (const [index, { method, params }] of questions.entries()) {
    assert.deepEqual(inOneBatch[index], atFirst[index], `${method} ${JSON.stringify(params)}`);
  }
  for (const [index, { method, params }] of questions.slice(0, 20).entries()) {
    assert.deepEqual(await rpc.call(method, ...params), atFirst[index], method);
  }
});

test('an archive that was removed is noticed, not filled with empty blocks', async () => {
  const empty = new BlockArchive(':memory:', CHUNK_BLOCKS);
  try {
    await assert.rejects(new ArchiveKeeper(chain.rpc, empty, KEEPING).keepUp(), BlockLostError);
  } finally {
    empty.close();
  }
});

test('an archive drops blocks that the chain lost', async () => {
  const snapshot = await rpc.call<Hex>('evm_snapshot');
  const keptCount = archive.blockCount;
  await rpc.call('anvil_mine', toHexQuantity(2 * CHUNK_BLOCKS));
  await rpc.call('evm_mine');
  assert.ok(archive.blockCount > keptCount);
  await rpc.call('evm_revert', snapshot);
  assert.equal(archive.blockCount, keptCount);
});

test('requests that are not about blocks go to the node, with errors unchanged', async () => {
  assert.equal(await rpc.call('eth_chainId'), '0x539');
  const reverting = { to: chain.deployment.contracts.weth, data: '0x2e1a7d4d'.padEnd(74, 'f') };
  const direct = await chain.rpc.ask([{ method: 'eth_call', params: [reverting, 'latest'] }]);
  const fronted = await rpc.ask([
    { method: 'eth_getBlockByNumber', params: ['0x1', false] },
    { method: 'eth_call', params: [reverting, 'latest'] },
  ]);
  assert.deepEqual(fronted[1]?.error, direct[0]?.error);
  const answer = await fetch(front.url, { method: 'POST', body: '{' });
  assert.equal(answer.status, (await fetch(chain.rpcUrl, { method: 'POST', body: '{' })).status);
});

test('blocks leave nothing in the state by themselves, which is kept many times', async () => {
  await chain.mine(3);
  const head = await chain.readHead();
  const slots = [head - 1, head - 2, head - 3].map(toHexQuantity);
  const stored = await chain.rpc.batch<Hex>(
    slots.map((slot) => ({
      method: 'eth_getStorageAt',
      params: [HISTORY_CONTRACT, slot, 'latest'],
    })),
  );
  for (const [index, value] of stored.entries()) assert.equal(BigInt(value), 0n, slots[index]);
});

test('methods that would make the node mine are rejected, alone and in a batch', async () => {
  for (const method of ['evm_setAutomine', 'anvil_setAutomine', 'anvil_setRpcUrl', 'no_such']) {
    const [alone, withAnother] = [
      await rpc.ask([{ method, params: [true] }]),
      await rpc.ask([
        { method: 'eth_chainId', params: [] },
        { method, params: [true] },
      ]),
    ];
    assert.equal(alone[0]?.error?.code, -32_601, method);
    assert.equal(withAnother[0]?.result, '0x539');
    assert.equal(withAnother[1]?.error?.code, -32_601, method);
  }
  assert.equal(await chain.rpc.call('anvil_getAutomine'), false);
});

test('the clock can be paused, and no block is mined during a reorganisation', async () => {
  const readHead = async () => Number(await rpc.call<Hex>('eth_blockNumber'));
  await rpc.call('evm_setIntervalMining', 0.005);
  try {
    const from = await readHead();
    for (let n = 0; n < 5; n++) await clock.untilBlock(new AbortController().signal);
    await rpc.call('anvil_reorg', 4, []);
    assert.ok((await readHead()) >= from + 5);
  } finally {
    await rpc.call('evm_setIntervalMining', 0);
  }
  const head = await readHead();
  const tags = Array.from({ length: 12 }, (_, back) => toHexQuantity(head - back));
  const blocks = await rpc.batch<{ hash: Hex; parentHash: Hex } | null>(
    tags.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, false] })),
  );
  for (const [back, block] of blocks.slice(0, -1).entries()) {
    assert.equal(block?.parentHash, blocks[back + 1]?.hash);
  }
  assert.equal(await rpc.call('anvil_getIntervalMining'), null);
  assert.equal(await readHead(), head);
});

test('a transaction of a test account is mined on demand', async () => {
  const [from, to] = TEST_ADDRESSES;
  const hash = await rpc.call<Hex>('eth_sendTransaction', { from, to, value: '0x1' });
  await rpc.call('evm_mine');
  assert.ok(await rpc.call('eth_getTransactionReceipt', hash));
});
