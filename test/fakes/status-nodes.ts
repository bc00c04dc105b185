// Nodes of both families that know of one transaction, and have it when the test says so.

import type { ChainTransactions } from '../../src/chains/chain-transactions.ts';
import { createEvmDialect } from '../../src/chains/evm/rpc/evm-dialect.ts';
import { readTransaction } from '../../src/chains/evm/trading/read-transaction.ts';
import { RpcClient } from '../../src/chains/rpc/rpc-client.ts';
import type { RpcDialect } from '../../src/chains/rpc/rpc-dialect.ts';
import { createSolanaDialect } from '../../src/chains/solana/rpc/solana-dialect.ts';
import { LookupTables } from '../../src/chains/solana/trading/lookup-tables.ts';
import { createSolanaTransactions } from '../../src/chains/solana/trading/solana-transactions.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { sleep } from '../../src/lib/retry.ts';
import { type MisbehavingRpc, startMisbehavingRpc } from './misbehaving-rpc.ts';
import { buildSolanaChain } from './solana-endpoints.ts';
import { toSwapSignature } from './solana-scene.ts';

const cleanups: (() => Promise<void> | void)[] = [];

/** For `afterEach`. */
export async function endStatusNodes(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

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

export interface StatusNode {
  readonly node: MisbehavingRpc;
  readonly transactions: Pick<ChainTransactions, 'readTransaction'>;
  /** What an ask about a transaction begins with. */
  readonly method: string;
  readonly txHash: string;
  /** From now on the node has the transaction. */
  mine(): void;
}

export async function startEvmStatus(): Promise<StatusNode> {
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

export async function startSolanaStatus(): Promise<StatusNode> {
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
