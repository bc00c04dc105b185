// The status of a transaction, from nodes with different data.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { transactionId } from '../../../../test/test-ids.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { readTransaction } from './read-transaction.ts';

const HASH = transactionId(`0x${'12'.repeat(32)}`);
const BLOCK_HASH = `0x${'34'.repeat(32)}`;
const POOL = `0x${'ab'.repeat(20)}`;
const POOL_ID = `0x${'cd'.repeat(32)}`;

const BLOCK = {
  number: '0x10',
  hash: BLOCK_HASH,
  parentHash: `0x${'33'.repeat(32)}`,
  timestamp: '0x64',
  transactions: [HASH],
};
const RECEIPT = {
  blockNumber: '0x10',
  blockHash: BLOCK_HASH,
  status: '0x1',
  logs: [
    { address: POOL, topics: [`0x${'01'.repeat(32)}`] },
    { address: POOL, topics: [`0x${'02'.repeat(32)}`, POOL_ID] },
  ],
};

type Node = Readonly<Record<string, unknown>>;

const IGNORANT: Node = {};
const WAITING: Node = { eth_getTransactionByHash: { hash: HASH, blockNumber: null } };
const KNOWING: Node = {
  ...WAITING,
  eth_getTransactionReceipt: RECEIPT,
  eth_getBlockByNumber: BLOCK,
};

async function connect(t: TestContext, nodes: readonly Node[]): Promise<RpcClient> {
  const basics: Node = { eth_chainId: '0x1', eth_blockNumber: '0x20' };
  const endpoints: string[] = [];
  for (const node of nodes) {
    const reply = ({ id, method }: { id: number; method: string }) => {
      return { jsonrpc: '2.0', id, result: { ...basics, ...node }[method] ?? null };
    };
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const calls = JSON.parse(text);
      response.end(JSON.stringify(Array.isArray(calls) ? calls.map(reply) : reply(calls)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoints.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    t.after(() => void server.close());
  }
  const client = new RpcClient({
    ...{
      endpoints,
      dialect: createEvmDialect(1),
      clock: systemClock,
      sleep,
      random: Math.random,
      budgetMs: 5000,
    },
    log: { info: () => undefined, warn: () => undefined },
    limits: {
      timeoutMs: 5000,
      replyBytesMax: 100_000,
      batchCallsMax: 10,
      batchesMax: 1,
      chainCheckMs: 60_000,
    },
  });
  t.after(() => client.close());
  return client;
}

describe('readTransaction', () => {
  it('is unknown if no node has it, and pending if one has', async (t) => {
    const none = await connect(t, [IGNORANT, IGNORANT]);
    assert.deepEqual(await readTransaction(none, HASH), { state: 'unknown' });
    const some = await connect(t, [IGNORANT, WAITING]);
    assert.deepEqual(await readTransaction(some, HASH), { state: 'pending' });
  });

  it('is mined if any node has its receipt, with the logs that may name pools', async (t) => {
    for (const first of [IGNORANT, WAITING, KNOWING]) {
      const fate = await readTransaction(await connect(t, [first, KNOWING]), HASH);
      if (fate.state !== 'mined') return assert.fail(fate.state);
      assert.deepEqual([fate.block.position, fate.block.timestampMs], [16, 100_000]);
      assert.equal(fate.isReverted, false);
      assert.deepEqual(fate.poolCandidates, [POOL, POOL_ID]);
    }
  });

  it('reports one that failed', async (t) => {
    const failed = {
      ...KNOWING,
      eth_getTransactionReceipt: { ...RECEIPT, status: '0x0', logs: [] },
    };
    const fate = await readTransaction(await connect(t, [failed]), HASH);
    assert.ok(fate.state === 'mined' && fate.isReverted);
  });

  it('rejects the receipt of a block that was reorganised away', async (t) => {
    const other = { ...BLOCK, hash: `0x${'55'.repeat(32)}` };
    for (const eth_getBlockByNumber of [other, null]) {
      const client = await connect(t, [{ ...KNOWING, eth_getBlockByNumber }]);
      assert.deepEqual(await readTransaction(client, HASH), { state: 'pending' });
    }
  });
});
