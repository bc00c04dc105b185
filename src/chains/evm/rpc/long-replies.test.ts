// How many calls a request has if their replies may be long.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import {
  type MisbehavingRpc,
  startMisbehavingRpc,
} from '../../../../test/fakes/misbehaving-rpc.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { createEvmDialect } from './evm-dialect.ts';

const CHAIN_ID = 1337;

/** Works with a node that answers calls of one method in its own way. */
async function withNode<T>(
  { method, answer }: { readonly method: string; answer(params: readonly unknown[]): unknown },
  work: (endpoint: RpcEndpoint, node: MisbehavingRpc) => Promise<T>,
): Promise<T> {
  const chain = new MemoryChain({ chainId: CHAIN_ID, blockTimestamps: true });
  chain.add([]);
  const node = await startMisbehavingRpc((called, params) =>
    called === method ? answer(params) : chain.answer(called, params),
  );
  const client = new RpcClient({
    endpoints: [node.url],
    dialect: createEvmDialect(CHAIN_ID),
    clock: systemClock,
    random: () => 0.5,
    sleep,
    log: { info: () => {}, warn: () => {} },
    budgetMs: 10_000,
    limits: {
      ...{ timeoutMs: 10_000, replyBytesMax: 10_000_000, batchCallsMax: 20 },
      ...{ batchesMax: 2, chainCheckMs: 60_000 },
    },
  });
  try {
    return await client.at((endpoint) => work(endpoint, node));
  } finally {
    client.close();
    await node.stop();
  }
}

/** How many calls each request had, the smallest first, for a hundred results of this length. */
function listBatches(chars: number): Promise<number[]> {
  const method = 'eth_getBlockByNumber';
  const answer = ([block]: readonly unknown[]) => `${block} ${'f'.repeat(chars)}`;
  return withNode({ method, answer }, async (endpoint, node) => {
    const calls = Array.from({ length: 100 }, (_, index) => ({ method, params: [index] }));
    const outcomes = await endpoint.batch(calls, {
      callsAtFirst: 5,
      pick: (result) => String(result).split(' ')[0],
    });
    const read = outcomes.map((outcome) => endpoint.unwrap(outcome));
    assert.deepEqual(
      read,
      calls.map(({ params }) => String(params[0])),
    );
    const batches: number[] = [];
    const sent = node.calls.filter((call) => call.method === method);
    for (let at = 0; at < sent.length; at += sent[at]!.batch) batches.push(sent[at]!.batch);
    return batches.sort((a, b) => a - b);
  });
}

test('a batch of long replies starts small, and grows as far as the replies are short', async () => {
  const short = await listBatches(100);
  assert.deepEqual(short, [5, 5, 10, 20, 20, 20, 20]);
  const middle = await listBatches(50_000);
  assert.deepEqual(middle, [5, 5, ...Array<number>(9).fill(10)]);
  const long = await listBatches(200_000);
  assert.deepEqual([...new Set(long)], [5]);
});
