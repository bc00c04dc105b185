// Fees from the last blocks, or from the node's gas price.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TrueAnswer } from '../../../../test/fakes/misbehaving-rpc.ts';
import { startClientOn } from '../../../../test/fakes/start-client-on.ts';
import { offerTip, readNetworkFees, readPaidTips } from './read-network-fees.ts';

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

function createClient(answer: TrueAnswer) {
  return startClientOn({ after: (work) => void cleanups.push(work) }, answer, 300);
}

const { signal } = new AbortController();
const NO_TIP = { maxPriorityFeePerGas: 0n, tips: { low: 0n, medium: 0n, high: 0n } };

function toHex(value: number): string {
  return `0x${Math.max(0, value).toString(16)}`;
}

test('the maximum fee is twice the next base fee plus the median tip', async () => {
  const { client } = await createClient(() => ({
    baseFeePerGas: ['0x64', '0x6e', '0x78'],
    reward: [5, 0, 9, 7].map((tip) => [tip - 1, tip, tip * 3].map((one) => toHex(one))),
  }));
  const fees = await readNetworkFees(client, signal);
  assert.deepEqual(fees, {
    baseFeePerGas: 120n,
    maxPriorityFeePerGas: 7n,
    tips: { low: 6n, medium: 7n, high: 21n },
    maxFeePerGas: 247n,
  });
  const more = offerTip(fees, 'high');
  assert.deepEqual([more.maxPriorityFeePerGas, more.maxFeePerGas], [21n, 261n]);
  assert.equal(offerTip(fees, { unitPrice: 1n }).maxFeePerGas, 241n);
});

test('a client is told the median over the blocks of each percentile', async () => {
  const asked: unknown[] = [];
  const { client } = await createClient((_method, params) => {
    asked.push(params);
    // The second block is empty.
    const blocks = [9, 0, 7, 5, 8];
    const reward = blocks.map((tip) => [1, 2, 3, 4, 5, 6].map((one) => toHex(tip * one)));
    return { baseFeePerGas: ['0x64', '0x78'], reward };
  });
  assert.deepEqual(await readPaidTips(client, signal), {
    tips: { low: 16n, medium: 24n, high: 40n },
    percentiles: [8n, 16n, 24n, 32n, 40n, 48n],
    ...{ blockCount: 5, basePerUnit: 120n, baseRaw: 0n, accounts: [] },
  });
  assert.deepEqual(asked, [['0x14', 'latest', [10, 25, 50, 75, 90, 99]]]);
});

test('blocks without transactions or without reported tips have no tip', async () => {
  const { client } = await createClient(() => ({ baseFeePerGas: ['0x0'] }));
  const fees = await readNetworkFees(client, signal);
  assert.deepEqual(fees, { ...NO_TIP, baseFeePerGas: 0n, maxFeePerGas: 0n });
});

test('a node without fee history is asked for its gas price', async () => {
  const { client, node } = await createClient(() => '0x10');
  node.misbehave(({ method }) =>
    method === 'eth_feeHistory' ? { do: 'error', code: -32601, message: 'not found' } : null,
  );
  const fees = await readNetworkFees(client, signal);
  assert.deepEqual(fees, { ...NO_TIP, baseFeePerGas: 16n, maxFeePerGas: 32n });
});

for (const reply of [null, {}, { baseFeePerGas: [] }, { baseFeePerGas: ['12'] }, 'no']) {
  test(`${JSON.stringify(reply)} is no answer`, async () => {
    const { client } = await createClient(() => reply);
    await assert.rejects(readNetworkFees(client, signal));
  });
}
