// Pins that a node that does not answer is not waited for without end.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { signForSending } from './trade-wallet-sender.ts';

test('a node that does not answer is given up', { timeout: 30_000 }, async (t) => {
  const server = createServer(() => undefined);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const from = `0x${'1'.repeat(40)}`;
  const account = { address: from, signTransaction: async () => '0x02' };
  const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const amounts = { value: '0', gas: '1', maxFeePerGas: '1', maxPriorityFeePerGas: '1' };
  const transaction = {
    ...{ type: 'eip1559', kind: 'swap', chainId: 1, nonce: 0, from, to: from, data: '0x' },
    ...amounts,
  } as unknown as Parameters<typeof signForSending>[1];
  const signed = await signForSending({ account, rpcUrl, timeoutMs: 50 }, transaction);
  await assert.rejects(signed?.send() ?? assert.fail(), { name: 'TimeoutError' });
});
