// Fees from the last blocks, or from the node's gas price.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startMisbehavingRpc, type TrueAnswer } from '../../../test/fakes/misbehaving-rpc.ts';
import { systemClock } from '../../lib/clock.ts';
import { sleep } from '../../lib/retry.ts';
import { readNetworkFees } from './read-network-fees.ts';
import { RpcClient } from './rpc/rpc-client.ts';

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const LIMITS = {
  timeoutMs: 2000,
  replyBytesMax: 100_000,
  batchCallsMax: 5,
  batchesMax: 1,
  chainCheckMs: 60_000,
};

async function createClient(answer: TrueAnswer) {
  const node = await startMisbehavingRpc((method, params) => {
    if (method === 'eth_chainId') return '0x539';
    return method === 'eth_blockNumber' ? '0x5' : answer(method, params);
  });
  const client = new RpcClient({
    endpoints: [node.url],
    chainId: 1337,
    clock: systemClock,
    random: () => 0.5,
    sleep,
    log: { info: () => undefined, warn: () => undefined },
    budgetMs: 300,
    limits: LIMITS,
  });
  cleanups.push(
    () => client.close(),
    () => node.stop(),
  );
  return { client, node };
}

const { signal } = new AbortController();

test('the maximum fee is twice the next base fee plus the median tip', async () => {
  const { client } = await createClient(() => ({
    baseFeePerGas: ['0x64', '0x6e', '0x78'],
    reward: [['0x5'], ['0x0'], ['0x9'], ['0x7']],
  }));
  const fees = await readNetworkFees(client, signal);
  assert.deepEqual(fees, {
    baseFeePerGas: 120n,
    maxPriorityFeePerGas: 7n,
    maxFeePerGas: 247n,
  });
});

test('blocks without transactions or without reported tips have no tip', async () => {
  const { client } = await createClient(() => ({ baseFeePerGas: ['0x0'] }));
  const fees = await readNetworkFees(client, signal);
  assert.deepEqual(fees, { baseFeePerGas: 0n, maxPriorityFeePerGas: 0n, maxFeePerGas: 0n });
});

test('a node without fee history is asked for its gas price', async () => {
  const { client, node } = await createClient(() => '0x10');
  node.misbehave(({ method }) =>
    method === 'eth_feeHistory' ? { do: 'error', code: -32601, message: 'not found' } : null,
  );
  const fees = await readNetworkFees(client, signal);
  assert.deepEqual(fees, { baseFeePerGas: 16n, maxPriorityFeePerGas: 0n, maxFeePerGas: 32n });
});

for (const reply of [null, {}, { baseFeePerGas: [] }, { baseFeePerGas: ['12'] }, 'no']) {
  test(`${JSON.stringify(reply)} is no answer`, async () => {
    const { client } = await createClient(() => reply);
    await assert.rejects(readNetworkFees(client, signal));
  });
}
