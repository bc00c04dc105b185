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
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';
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
    const reply = ({ id, method, params }: { id: number; method: string; params: unknown }) => {
      const result = { ...basics, ...node }[method];
      return {
        ...{ jsonrpc: '2.0', id },
        result: (typeof result === 'function' ? result(params) : result) ?? null,
      };
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

describe('what the sender paid and received', () => {
  const WALLET = `0x${'a1'.repeat(20)}`;
  const TOKEN = `0x${'b2'.repeat(20)}`;
  const COIN = `0x${'00'.repeat(20)}`;
  const toWord = (value: string) => `0x${value.slice(2).padStart(64, '0')}`;
  const transfer = (from: string, to: string, amount: number) => ({
    address: TOKEN,
    topics: [TRANSFER_TOPIC, toWord(from), toWord(to)],
    data: toWord(`0x${amount.toString(16)}`),
  });
  const RECEIVED = [transfer(POOL, WALLET, 70), transfer(WALLET, POOL, 2), transfer(POOL, COIN, 9)];
  const PAID_FEES = { from: WALLET, gasUsed: '0x64', effectiveGasPrice: '0x3' };

  /** Balances and nonces before and after the block. */
  function answerState(balances: readonly string[], nonces: readonly string[]): Node {
    const pick = (values: readonly string[]) => (params: readonly unknown[]) =>
      values[['0xf', '0x10'].indexOf(String(params[1]))];
    return { eth_getBalance: pick(balances), eth_getTransactionCount: pick(nonces) };
  }

  async function readChanges(t: TestContext, receipt: object, state: Node) {
    const eth_getTransactionReceipt = { ...RECEIPT, ...PAID_FEES, ...receipt };
    const client = await connect(t, [{ ...KNOWING, eth_getTransactionReceipt, ...state }]);
    const fate = await readTransaction(client, HASH);
    assert.ok(fate.state === 'mined');
    return fate.changes.map(({ token, deltaRaw }) => [token, deltaRaw]);
  }

  it('is the sum of its transfers, and of the coin what is left without the fee', async (t) => {
    const state = answerState(['0x2710', '0x1f40'], ['0x4', '0x5']);
    const changes = [
      [TOKEN, 68n],
      [COIN, -1700n],
    ];
    assert.deepEqual(await readChanges(t, { logs: RECEIVED }, state), changes);
    const onRollup = await readChanges(t, { logs: RECEIVED, l1Fee: '0x64' }, state);
    assert.deepEqual(onRollup.at(-1), [COIN, -1600n]);
  });

  it('is not known of the coin if something else changed it, or no node has it', async (t) => {
    const balances = ['0x2710', '0x1f40'];
    for (const [receipt, state] of [
      [{}, answerState(balances, ['0x4', '0x6'])],
      [{}, answerState(balances, [])],
      [{}, answerState(['0x2710'], ['0x4', '0x5'])],
      [{ effectiveGasPrice: undefined }, answerState(balances, ['0x4', '0x5'])],
      [{ operatorFeeScalar: '0x1' }, answerState(balances, ['0x4', '0x5'])],
    ] as const) {
      assert.deepEqual(await readChanges(t, { logs: RECEIVED, ...receipt }, state), [[TOKEN, 68n]]);
    }
  });

  it('is nothing if it failed', async (t) => {
    const state = answerState(['0x2710', '0x1f40'], ['0x4', '0x5']);
    assert.deepEqual(await readChanges(t, { logs: [], status: '0x0' }, state), []);
  });
});
