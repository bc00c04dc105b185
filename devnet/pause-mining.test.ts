// A chain that is saved while transactions pour in is whole: its accounts are those of its head.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Hex, keccak256 } from 'viem';
import { TEST_ADDRESSES } from './accounts.ts';
import { type AnvilNode, startAnvil } from './anvil-node.ts';

const GENESIS_S = 1_760_000_000;
const TRANSFERS = 300;

/** The root of the accounts that the node holds, beside the one that its newest block states. */
async function readRoots({ rpc }: AnvilNode) {
  const [head, proof] = await rpc.batch<unknown>([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getProof', params: [TEST_ADDRESSES[0], [], 'latest'] },
  ]);
  const { accountProof } = proof as { accountProof: Hex[] };
  const { stateRoot, number } = head as { stateRoot: Hex; number: Hex };
  return { held: keccak256(accountProof[0] ?? '0x'), stated: stateRoot, head: Number(number) };
}

test('behavior: a chain that is saved while blocks are mined is saved whole', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mintwire-pause-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const stateFile = join(dataDir, 'state.json');
  const options = { dataDir, stateFile, genesisTimestamp: GENESIS_S };
  const node = await startAnvil(options);
  t.after(() => node.discard());
  await node.rpc.call('evm_setAutomine', true);
  const sent = Array.from({ length: TRANSFERS }, (_, n) => {
    const [from, to] = [TEST_ADDRESSES[n % 10], TEST_ADDRESSES[(n + 1) % 10]];
    return node.rpc.call('eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' });
  });
  const settled = Promise.allSettled(sent);
  // From the first block on, the node is busy with the others.
  await Promise.race(sent);
  await node.stop();
  await settled;

  const again = await startAnvil(options);
  t.after(() => again.discard());
  const { held, stated, head } = await readRoots(again);
  assert.ok(head > 0);
  assert.equal(held, stated);
});
