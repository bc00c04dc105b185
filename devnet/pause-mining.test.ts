// A chain that is saved under load is consistent: its accounts are those of its head.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Hex, keccak256 } from 'viem';
import { TEST_ADDRESSES } from './accounts.ts';
import { type AnvilNode, startAnvil } from './anvil-node.ts';
import type { DevnetRpcCall } from './json-rpc.ts';

const GENESIS_S = 1_760_000_000;
const TRANSFERS = 300;
/** A contract that loops until its gas is spent, so that a block takes long. */
const LOOP = { address: '0x00000000000000000000000000000000000000aa', code: '0x5b600056' };
const LOOP_GAS = 16_000_000;
const SENDERS = TEST_ADDRESSES.slice(0, 4);

/** The root of the node's accounts, and the one in its newest block. */
async function readRoots({ rpc }: AnvilNode) {
  const [head, proof] = await rpc.batch<unknown>([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getProof', params: [TEST_ADDRESSES[0], [], 'latest'] },
  ]);
  const { accountProof } = proof as { accountProof: Hex[] };
  const { stateRoot, number } = head as { stateRoot: Hex; number: Hex };
  return { held: keccak256(accountProof[0] ?? '0x'), stated: stateRoot, head: Number(number) };
}

async function startScene(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'mintwire-pause-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const stateFile = join(dataDir, 'state.json');
  const options = { dataDir, stateFile, genesisTimestamp: GENESIS_S };
  const start = async () => {
    const node = await startAnvil(options);
    t.after(() => node.discard());
    return node;
  };
  return { node: await start(), restart: start };
}

function buildTransfer(n: number): DevnetRpcCall {
  const [from, to] = [TEST_ADDRESSES[n % 10], TEST_ADDRESSES[(n + 1) % 10]];
  const params = [{ from, to, value: '0x1', gas: '0x5208' }];
  return { method: 'eth_sendTransaction', params };
}

async function assertWhole(node: AnvilNode): Promise<void> {
  const { held, stated, head } = await readRoots(node);
  assert.ok(head > 0);
  assert.equal(held, stated);
}

test('a chain that is saved while blocks are mined is saved whole', async (t) => {
  const { node, restart } = await startScene(t);
  await node.rpc.call('evm_setAutomine', true);
  const sent = Array.from({ length: TRANSFERS }, (_, n) => {
    const { method, params } = buildTransfer(n);
    return node.rpc.call(method, ...params);
  });
  const settled = Promise.allSettled(sent);
  // After the first block, the node is busy with the others.
  await Promise.race(sent);
  await node.stop();
  await settled;
  await assertWhole(await restart());
});

test('a block that a killed devnet had asked for is saved whole or not at all', async (t) => {
  const { node, restart } = await startScene(t);
  await node.rpc.call('anvil_setCode', LOOP.address, LOOP.code);
  await node.rpc.call('evm_mine');
  const gas = `0x${LOOP_GAS.toString(16)}`;
  await node.rpc.call('evm_setBlockGasLimit', `0x${(LOOP_GAS * SENDERS.length).toString(16)}`);
  for (const from of SENDERS) {
    await node.rpc.call('eth_sendTransaction', { from, to: LOOP.address, gas });
  }
  const mined = node.rpc.call('evm_mine').catch(() => undefined);
  // A reply to a later call: by then the node has the request for the block.
  await node.rpc.call('eth_chainId');
  await node.stop('perhaps mining');
  await mined;
  await assertWhole(await restart());
});
