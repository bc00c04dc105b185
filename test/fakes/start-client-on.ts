// A client of one fake node.

import { createEvmDialect } from '../../src/chains/evm/rpc/evm-dialect.ts';
import { RpcClient } from '../../src/chains/rpc/rpc-client.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { sleep } from '../../src/lib/retry.ts';
import type { Cleanup } from '../start-service-process.ts';
import { startMisbehavingRpc, type TrueAnswer } from './misbehaving-rpc.ts';

/** The node is at block 5 of chain 1337 and answers everything else as given. */
export async function startClientOn(t: Cleanup, answer: TrueAnswer, budgetMs: number) {
  const node = await startMisbehavingRpc((method, params) => {
    if (method === 'eth_chainId') return '0x539';
    return method === 'eth_blockNumber' ? '0x5' : answer(method, params);
  });
  const client = new RpcClient({
    endpoints: [node.url],
    dialect: createEvmDialect(1337),
    clock: systemClock,
    random: () => 0.5,
    sleep,
    log: { info: () => undefined, warn: () => undefined },
    budgetMs,
    limits: {
      timeoutMs: 2000,
      replyBytesMax: 100_000,
      batchCallsMax: 5,
      batchesMax: 1,
      chainCheckMs: 60_000,
    },
  });
  t.after(() => client.close());
  t.after(() => node.stop());
  return { client, node };
}
