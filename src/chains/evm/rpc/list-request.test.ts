// Lists that are too long to be parsed at once, as a node sends them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import { RpcFault, startMisbehavingRpc } from '../../../../test/fakes/misbehaving-rpc.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { createEvmDialect } from './evm-dialect.ts';

const CHAIN_ID = 1337;
const LOGS = { method: 'eth_getLogs', params: [{}] } as const;

/** Reads what a node answers to a query for logs, and in how many parts, of the last attempt. */
async function readList(answerLogs: () => unknown) {
  const chain = new MemoryChain({ chainId: CHAIN_ID, blockTimestamps: true });
  chain.add([]);
  const node = await startMisbehavingRpc((method, params) =>
    method === LOGS.method ? answerLogs() : chain.answer(method, params),
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
    return await client.at((endpoint) =>
      endpoint.requestList(LOGS, (parts) => {
        const all = [...parts] as unknown[][];
        return { parts: all.length, items: all.flat() };
      }),
    );
  } finally {
    client.close();
    await node.stop();
  }
}

function buildLogs(count: number, extra: object = {}): object[] {
  return Array.from({ length: count }, (_, index) => ({ index, data: 'f'.repeat(500), ...extra }));
}

test('a long list comes in parts, a short one in one', async () => {
  const logs = buildLogs(2000);
  const long = await readList(() => logs);
  assert.ok(long.parts > 2, `${long.parts} parts`);
  assert.deepEqual(long.items, logs);
  assert.deepEqual(await readList(() => logs.slice(0, 2)), { parts: 1, items: logs.slice(0, 2) });
});

test('a list that cannot be cut is read again as a whole', async () => {
  const logs = buildLogs(2000, { nested: [{ a: 1 }, { a: 2 }], text: '},{'.repeat(200) });
  assert.deepEqual(await readList(() => logs), { parts: 1, items: logs });
});

test('an error is thrown as that of any call', async () => {
  await assert.rejects(
    readList(() => {
      throw new RpcFault(-32_602, `query returned more than 10000 results ${'x'.repeat(400_000)}`);
    }),
    (error) => isRpcError(error, 'rangeTooLarge'),
  );
});
