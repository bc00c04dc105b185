// Requests that wait for one transaction share what the node is asked, on chains of both families.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { type MisbehavingRpc, startMisbehavingRpc } from '../../../test/fakes/misbehaving-rpc.ts';
import { buildSolanaChain } from '../../../test/fakes/solana-endpoints.ts';
import { toSwapSignature } from '../../../test/fakes/solana-scene.ts';
import type { ChainTransactions } from '../../chains/chain-transactions.ts';
import { createEvmDialect } from '../../chains/evm/rpc/evm-dialect.ts';
import { readTransaction } from '../../chains/evm/transactions/read-transaction.ts';
import { RpcClient } from '../../chains/rpc/rpc-client.ts';
import type { RpcDialect } from '../../chains/rpc/rpc-dialect.ts';
import { createSolanaDialect } from '../../chains/solana/rpc/solana-dialect.ts';
import { LookupTables } from '../../chains/solana/trading/lookup-tables.ts';
import { createSolanaTransactions } from '../../chains/solana/trading/solana-transactions.ts';
import { systemClock } from '../../lib/clock.ts';
import { sleep } from '../../lib/retry.ts';
import { ChainRegistry } from '../../model/chain-registry.ts';
import { createGetTradeStatus, type NodeAnswer } from './create-get-trade-status.ts';
import { StatusWaits } from './status-waits.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function connect(node: MisbehavingRpc, dialect: RpcDialect): RpcClient {
  const client = new RpcClient({
    ...{ endpoints: [node.url], dialect, clock: systemClock, sleep, random: Math.random },
    budgetMs: 60_000,
    log: { info: () => undefined, warn: () => undefined },
    limits: {
      ...{ timeoutMs: 60_000, replyBytesMax: 100_000, batchCallsMax: 10, batchesMax: 1 },
      chainCheckMs: 60_000,
    },
  });
  cleanups.push(() => client.close());
  return client;
}

type Reads = Pick<ChainTransactions, 'readTransaction'>;

interface StatusNode {
  readonly node: MisbehavingRpc;
  readonly transactions: Reads;
  /** What an ask about a transaction begins with. */
  readonly method: string;
  readonly txHash: string;
  /** From now on the node has the transaction. */
  mine(): void;
}

async function startEvm(): Promise<StatusNode> {
  const txHash = `0x${'12'.repeat(32)}`;
  const hash = `0x${'34'.repeat(32)}`;
  let isMined = false;
  const node = await startMisbehavingRpc((method) => {
    if (method === 'eth_chainId') return '0x1';
    if (method === 'eth_blockNumber') return '0x20';
    if (method === 'eth_getTransactionByHash') return { hash: txHash, blockNumber: null };
    if (!isMined) return null;
    const receipt = { blockNumber: '0x10', blockHash: hash, status: '0x0', logs: [] };
    const block = { number: '0x10', hash, parentHash: txHash, timestamp: '0x1', transactions: [] };
    return method === 'eth_getTransactionReceipt' ? receipt : block;
  });
  cleanups.push(() => node.stop());
  const client = connect(node, createEvmDialect(1));
  const mine = () => {
    isMined = true;
  };
  const transactions = { readTransaction: (id: never) => readTransaction(client, id) };
  return { node, transactions, method: 'eth_getTransactionReceipt', txHash, mine };
}

async function startSolana(): Promise<StatusNode> {
  const chain = buildSolanaChain();
  const txHash = toSwapSignature(2);
  let isMined = false;
  const node = await startMisbehavingRpc((method, params) =>
    method === 'getTransaction' && !isMined ? null : chain.answer(method, params),
  );
  cleanups.push(() => node.stop());
  chain.unconfirmed.set(txHash, { slot: 1 });
  const client = connect(node, createSolanaDialect(chain.genesis));
  const mine = () => {
    isMined = true;
  };
  return {
    node,
    transactions: createSolanaTransactions(client, new LookupTables([], systemClock)),
    method: 'getTransaction',
    txHash,
    mine,
  };
}

/** The clock only moves by `pass`, which lets every ask end before it goes on. */
function createScene({ transactions, txHash }: StatusNode) {
  const clock = new ManualClock(0);
  const sleepers: { atMs: number; wake: () => void }[] = [];
  const scene = { version: 1, asking: 0 };
  const waits = new StatusWaits<NodeAnswer>({
    clock,
    sleep: (ms) =>
      new Promise((wake) => void sleepers.push({ atMs: clock.monotonicMs() + ms, wake })),
  });
  const node = {
    readTransaction: async (id: never) => {
      scene.asking += 1;
      return transactions.readTransaction(id).finally(() => {
        scene.asking -= 1;
      });
    },
    isUnavailable: () => false,
  };
  const getStatus = createGetTradeStatus({
    chains: { known: new ChainRegistry(), list: () => ['devnet'] },
    builders: {
      find: () => node,
      findFamily: () => ({ transactionIds: { parse: (text: string) => text } }),
    } as never,
    store: {
      snapshot: (work: (reader: object) => unknown) => work({ readCheckpoint: async () => null }),
    } as never,
    ...{ waits, readVersion: () => scene.version },
  });
  const rest = async () => {
    for (let calm = 0; calm < 20; calm = scene.asking > 0 ? 0 : calm + 1) await setImmediate();
  };
  const pass = async (ms: number) => {
    await rest();
    for (const endMs = clock.monotonicMs() + ms; clock.monotonicMs() < endMs; await rest()) {
      clock.advance(100);
      const due = sleepers.filter(({ atMs }) => atMs <= clock.monotonicMs());
      for (const one of due) sleepers.splice(sleepers.indexOf(one), 1);
      for (const { wake } of due) wake();
    }
  };
  const wait = (caller: number, more: object = {}) =>
    getStatus(
      { chain: 'devnet', txHash, waitMs: 25_000, ...more } as never,
      {
        ...{ identity: { kind: 'anonymous', key: `caller ${caller}` }, watchClient: undefined },
      } as never,
    );
  return { scene, pass, wait };
}

describe('requests that wait for one transaction', () => {
  for (const [family, start] of [
    ['EVM', startEvm],
    ['Solana', startSolana],
  ] as const) {
    it(`ask the node once in each interval, however many wait, on ${family}`, async () => {
      const on = await start();
      const { scene, pass, wait } = createScene(on);
      const waiting = Array.from({ length: 60 }, (_, index) => wait(index % 6));
      await pass(1000);
      // These come between two asks, with a height of their own each.
      for (let index = 0; index < 40; index += 1) {
        const height = { lastValidBlockHeight: 1000 + index };
        waiting.push(wait(6 + (index % 4), { ...height, knownStatus: 'pending' }));
      }
      await pass(8900);
      assert.equal(on.node.count(on.method), 5, 'at 0, 2, 4, 6 and 8 seconds');
      on.mine();
      scene.version += 1;
      await pass(100);
      const answers = await Promise.all(waiting);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['reverted']));
      assert.equal(on.node.count(on.method), 6, 'and after the commit');
    });
  }

  it('are never answered with what the node said before they came', async () => {
    const on = await startSolana();
    const { pass, wait } = createScene(on);
    const first = wait(1);
    await pass(1000);
    on.mine();
    // The last ask said pending, which would be an answer to both.
    const known = wait(2, { knownStatus: 'unknown' });
    const short = wait(3, { waitMs: 200 });
    await pass(300);
    const answers = await Promise.all([known, short]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['reverted', 'reverted'],
    );
    await pass(2000);
    assert.equal((await first).status, 'reverted');
    assert.ok(on.node.count('getTransaction') <= 4);
  });

  it('are all told that the node failed, and the next one asks again', async () => {
    const on = await startEvm();
    const { pass, wait } = createScene(on);
    on.node.misbehave(({ method }) =>
      method === on.method ? { do: 'error', code: -32602, message: 'no' } : null,
    );
    const failing = Promise.allSettled([wait(1), wait(2), wait(3)]);
    await pass(100);
    const states = (await failing).map(({ status }) => status);
    assert.deepEqual(states, ['rejected', 'rejected', 'rejected']);
    assert.equal(on.node.count(on.method), 1);
    on.node.misbehave(null);
    on.mine();
    const later = wait(1, { knownStatus: 'pending' });
    await pass(100);
    assert.equal((await later).status, 'reverted');
  });
});
