// A user who waits for a node gets an answer or a `Retry-After`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MisbehavingRpc, startMisbehavingRpc } from '../../../test/fakes/misbehaving-rpc.ts';
import { createEvmDialect } from '../../chains/evm/rpc/evm-dialect.ts';
import { EvmTransactions } from '../../chains/evm/trading/evm-transactions.ts';
import { RpcClient } from '../../chains/rpc/rpc-client.ts';
import { AppError } from '../../errors/app-error.ts';
import { systemClock } from '../../lib/clock.ts';
import { sleep } from '../../lib/retry.ts';
import { askNode } from './read-transaction-trades.ts';

function createClient(node: MisbehavingRpc, timeoutMs: number): RpcClient {
  const log = { info: () => undefined, warn: () => undefined };
  return new RpcClient({
    ...{ endpoints: [node.url], dialect: createEvmDialect(1337), clock: systemClock, sleep, log },
    random: () => 0.999,
    budgetMs: 1000,
    limits: {
      ...{ timeoutMs, replyBytesMax: 1 << 20, batchCallsMax: 10 },
      ...{ batchesMax: 2, chainCheckMs: 60_000 },
    },
  });
}

async function ask(node: MisbehavingRpc, options: { timeoutMs: number; budgetMs: number }) {
  const client = createClient(node, options.timeoutMs);
  const parts = { client, chainId: 1337, routers: [], rollup: null, clock: systemClock };
  const transactions = new EvmTransactions(parts);
  const asked = { chain: 'devnet', node: transactions, sleep, budgetMs: options.budgetMs } as const;
  try {
    return await askNode(asked, () => client.request({ method: 'eth_gasPrice', params: [] }));
  } finally {
    client.close();
  }
}

function assertUnavailable(error: unknown, isSoon: (seconds: number) => boolean): true {
  assert.ok(error instanceof AppError);
  assert.equal(error.code, 'UPSTREAM_UNAVAILABLE');
  assert.match(error.message, /node of devnet/);
  assert.ok(isSoon(error.retryAfterSeconds ?? 0), `${error.retryAfterSeconds}`);
  return true;
}

async function withNode(work: (node: MisbehavingRpc) => Promise<void>): Promise<void> {
  const node = await startMisbehavingRpc((method) => (method === 'eth_chainId' ? '0x539' : '0x7'));
  await work(node).finally(() => node.stop());
}

test('an answer in time is returned', () =>
  withNode(async (node) => {
    assert.equal(await ask(node, { timeoutMs: 20_000, budgetMs: 20_000 }), '0x7');
  }));

test('a node that hangs delays nobody beyond the time limit', () =>
  withNode(async (node) => {
    node.misbehave(() => ({ do: 'hang' }));
    // The client itself would wait for an hour.
    const asked = ask(node, { timeoutMs: 3_600_000, budgetMs: 50 });
    await assert.rejects(asked, (error) => assertUnavailable(error, (seconds) => seconds === 1));
  }));

test('Retry-After is that of the endpoint that is available first', () =>
  withNode(async (node) => {
    const headers = { 'retry-after': '30' };
    node.misbehave(() => ({ do: 'reply', status: 429, text: 'slow down', headers }));
    const asked = ask(node, { timeoutMs: 1000, budgetMs: 20_000 });
    await assert.rejects(asked, (error) =>
      assertUnavailable(error, (seconds) => seconds > 20 && seconds <= 30),
    );
  }));
