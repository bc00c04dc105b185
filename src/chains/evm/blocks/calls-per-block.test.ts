// How many calls following the head takes, block by block, at nodes that can and cannot.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import {
  address,
  buildSwapLogs,
  createSceneAdapter,
  endScene,
  PAIR,
  readHonestly,
  recordChain,
  startNode,
  TRADER,
  toEvents,
  transfer,
} from '../../../../test/fakes/chain-scene.ts';
import type { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import type { MisbehavingRpc, Misdeed } from '../../../../test/fakes/misbehaving-rpc.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { BlockEvents } from '../../../model/block-events.ts';
import { EndpointPool } from '../../rpc/endpoint-pool.ts';
import type { EvmAdapter, EvmAdapterOptions } from '../create-evm-adapter.ts';

afterEach(endScene);

const BLOCK_COUNT = 30;
const METHODS_PRICED = { eth_getBlockReceipts: 1000, eth_getLogs: 255 };
const UNSUPPORTED: Misdeed = { do: 'error', code: -32601, message: 'method not found' };

/** A swap in every other block, and a transfer after it, so that the last log is no swap's. */
function addBlock(chain: MemoryChain, branch = 'main'): void {
  const n = chain.head + 1;
  const swap = { from: TRADER, logs: buildSwapLogs(PAIR, n) };
  const rest = { from: address(n), logs: [transfer(n), transfer(n)] };
  chain.add(n % 2 === 0 ? [swap, rest] : [rest], branch);
}

/** Follows block by block, as the indexer does; returns what was read. */
async function follow(adapter: EvmAdapter, chain: MemoryChain): Promise<BlockEvents[]> {
  const blocks: BlockEvents[] = [];
  for (let n = 0; n < BLOCK_COUNT; n += 1) {
    addBlock(chain);
    const { latest } = await adapter.readHead();
    const { position } = latest;
    const range = { fromBlock: position, toBlock: position, linked: true };
    blocks.push(...(await adapter.readBlocks(range)).blocks);
  }
  return blocks;
}

/** On a busy machine a node may take long: a call that was given up would be counted twice. */
const PATIENT = { limits: { timeoutMs: 60_000 } };

async function createScene(options: Partial<EvmAdapterOptions> = {}) {
  const chain = recordChain();
  const node = await startNode(chain);
  const adapter = createSceneAdapter([node], { ...PATIENT, ...options });
  await adapter.readHead();
  await adapter.readBlocks({ fromBlock: 0, toBlock: 60, linked: true });
  return { chain, node, adapter };
}

async function countPerBlock(scene: {
  readonly chain: MemoryChain;
  readonly node: MisbehavingRpc;
  readonly adapter: EvmAdapter;
}) {
  const { chain, node, adapter } = scene;
  const before = node.calls.length;
  const blocks = await follow(adapter, chain);
  const calls = node.calls.slice(before);
  const whole = await readHonestly(chain);
  assert.deepEqual(
    toEvents(blocks),
    whole.filter(({ number }) => number > chain.head - BLOCK_COUNT),
  );
  const counts = new Map<string, number>();
  for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1);
  return { each: calls.length / BLOCK_COUNT, counts };
}

describe('a block at the head takes', () => {
  test('two calls: its header and its receipts', async () => {
    const { each, counts } = await countPerBlock(await createScene());
    assert.equal(each, 2);
    assert.deepEqual([...counts.keys()].sort(), ['eth_getBlockByNumber', 'eth_getBlockReceipts']);
  });

  test('three where receipts are not offered, which is noted', async () => {
    const scene = await createScene();
    scene.node.misbehave(({ method }) => (method === 'eth_getBlockReceipts' ? UNSUPPORTED : null));
    const { each, counts } = await countPerBlock(scene);
    assert.equal(counts.get('eth_getBlockReceipts'), 1, 'asked for once');
    assert.ok(each <= 3 + 2 / BLOCK_COUNT, `${each}`);
    assert.match(
      scene.adapter.status?.().limitations.join() ?? '',
      /does not offer eth_getBlockReceipts; blocks are read by their logs/,
    );
  });

  test('three where receipts cost more than logs', async () => {
    const chain = recordChain();
    const node = await startNode(chain);
    const credits = { methods: new Map(Object.entries(METHODS_PRICED)), other: 80 };
    const endpoints = new EndpointPool([node.url], {
      ...{ clock: systemClock, random: Math.random },
      budget: { credits, creditsPerDay: null },
    });
    const adapter = createSceneAdapter([], { ...PATIENT, endpoints });
    await adapter.readHead();
    await adapter.readBlocks({ fromBlock: 0, toBlock: 60, linked: true });
    const { each, counts } = await countPerBlock({ chain, node, adapter });
    assert.equal(each, 3);
    assert.equal(counts.get('eth_getBlockReceipts'), undefined);
  });

  test('two where only the logs of some contracts are read and none has traded', async () => {
    const scene = await createScene({ logAddresses: [address(0xabc)] });
    const { chain, node, adapter } = scene;
    const before = node.calls.length;
    await follow(adapter, chain);
    assert.equal((node.calls.length - before) / BLOCK_COUNT, 2);
  });
});

describe('nothing false is read by receipts', () => {
  const dropLast: Misdeed = { do: 'change', change: (list) => (list as unknown[]).slice(0, -1) };

  test('a node that leaves the last receipt out is asked for logs, though the bloom fits', async () => {
    const scene = await createScene();
    const { chain, node, adapter } = scene;
    // Both transactions have the same log, so that the bloom filter shows nothing.
    const same = { from: TRADER, logs: [transfer(5)] };
    node.misbehave(({ method }) => (method === 'eth_getBlockReceipts' ? dropLast : null));
    chain.add([same, same]);
    await adapter.readHead();
    const { blocks } = await adapter.readBlocks({ fromBlock: 61, toBlock: 61, linked: true });
    assert.equal(blocks[0]?.events.length, 2);
    assert.match(adapter.status?.().limitations.join() ?? '', /sent incomplete receipts/);
  });

  test('a node that changes a log is suspended, and another one is asked', async () => {
    const chain = recordChain();
    const [liar, honest] = [await startNode(chain), await startNode(chain)];
    const adapter = createSceneAdapter([liar, honest]);
    await adapter.readHead();
    liar.misbehave(({ method }) =>
      method === 'eth_getBlockReceipts'
        ? {
            do: 'change',
            change: (list) =>
              (list as { logs: object[] }[]).map((one) => ({ ...one, logs: one.logs.slice(1) })),
          }
        : null,
    );
    addBlock(chain);
    await adapter.readHead();
    const { blocks } = await adapter.readBlocks({ fromBlock: 61, toBlock: 61, linked: true });
    const whole = await readHonestly(chain);
    assert.deepEqual(
      toEvents(blocks),
      whole.filter(({ number }) => number === 61),
    );
    assert.match(adapter.status?.().limitations.join() ?? '', /#0 contradicts itself/);
  });

  test('a block that was replaced after the head was read is read anew', async () => {
    const { chain, node, adapter } = await createScene();
    addBlock(chain);
    await adapter.readHead();
    chain.drop(1);
    addBlock(chain, 'other');
    const { headers } = await adapter.readBlocks({ fromBlock: 61, toBlock: 61, linked: true });
    const { hash } = chain.announcementOf(61) as { hash: string };
    assert.equal(headers[0]?.hash, hash);
    assert.equal(adapter.status?.().endpoints[0]?.failures, 0, 'the node did nothing wrong');
    assert.equal(node.count('eth_getBlockReceipts'), 2);
  });

  test('a reorganisation between the two calls for a block is no fault of its receipts', async () => {
    const { chain, node, adapter } = await createScene();
    addBlock(chain);
    addBlock(chain);
    await adapter.readHead();
    // The receipts of the block before the head are of another branch, with fewer transactions.
    let isOther = true;
    node.misbehave(({ method, params }) => {
      if (method !== 'eth_getBlockReceipts' || Number(params[0]) !== 61 || !isOther) return null;
      isOther = false;
      return dropLast;
    });
    const range = { fromBlock: 61, toBlock: 62, linked: true };
    assert.equal((await adapter.readBlocks(range)).blocks.length, 2);
    assert.deepEqual(adapter.status?.().limitations, []);
    const before = node.count('eth_getLogs');
    const { each } = await countPerBlock({ chain, node, adapter });
    assert.equal(each, 2);
    assert.equal(node.count('eth_getLogs'), before);
  });

  test('a node that does not have the block yet is waited for', async () => {
    const chain = recordChain();
    let isBehind = true;
    const node = await startNode((method, params) => {
      const isReceipts = method === 'eth_getBlockReceipts';
      if (isReceipts && isBehind) {
        isBehind = false;
        return null;
      }
      return chain.answer(method, params);
    });
    const adapter = createSceneAdapter([node]);
    await adapter.readHead();
    const { blocks } = await adapter.readBlocks({ fromBlock: 60, toBlock: 60, linked: true });
    assert.equal(blocks.length, 1);
  });
});

test('the final block and the chain id are asked for rarely', async () => {
  const { chain, node, adapter } = await createScene();
  const before = node.calls.length;
  await follow(adapter, chain);
  const later = node.calls.slice(before);
  assert.equal(later.filter(({ method }) => method === 'eth_chainId').length, 0);
  assert.equal(later.filter(({ params }) => params[0] === 'finalized').length, 0);
});
