// A block without transactions is believed only where no node has one of them.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { type Mischief, startMisbehavingRpc } from '../../../../test/fakes/misbehaving-rpc.ts';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
  WHOLE_RANGE,
} from '../../../../test/fakes/solana-endpoints.ts';

afterEach(endSolanaScene);

function detailsOf(method: string, params: readonly unknown[]): string | null {
  return method === 'getBlock'
    ? (params[1] as { transactionDetails: string }).transactionDetails
    : null;
}

const losesTransactions: Mischief = ({ method, params }) =>
  detailsOf(method, params) === 'full'
    ? { do: 'change', change: (block) => ({ ...(block as object), transactions: [] }) }
    : null;

test('lost transactions are read from another endpoint', async () => {
  const chain = buildSolanaChain();
  const [faulty, honest] = [await startSolanaNode(chain), await startSolanaNode(chain)];
  faulty.misbehave(losesTransactions);
  const adapter = openSolanaAdapter([faulty, honest]);
  assert.equal((await adapter.readBlocks(WHOLE_RANGE)).blocks.length, 2);
});

test('a single endpoint that knows their signatures is not believed', async () => {
  const node = await startSolanaNode(buildSolanaChain());
  node.misbehave(losesTransactions);
  const adapter = openSolanaAdapter([node]);
  await assert.rejects(adapter.readBlocks(WHOLE_RANGE), /its transactions are missing/);
});

test('the empty blocks of a range are asked about at once', async (t) => {
  const chain = buildSolanaChain();
  const both = Promise.withResolvers<void>();
  let asked = 0;
  const node = await startMisbehavingRpc(async (method, params) => {
    if (detailsOf(method, params) === 'signatures') {
      asked += 1;
      if (asked === 2) both.resolve();
      await both.promise;
    }
    return await chain.answer(method, params);
  });
  t.after(() => node.stop());
  await openSolanaAdapter([node]).readBlocks(WHOLE_RANGE);
  // One that had to wait for the other in vain is asked about again.
  assert.equal(asked, 2);
});
