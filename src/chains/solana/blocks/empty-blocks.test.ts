// A block without transactions is believed only where no node has one of them.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Mischief } from '../../../../test/fakes/misbehaving-rpc.ts';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
  WHOLE_RANGE,
} from '../../../../test/fakes/solana-endpoints.ts';

afterEach(endSolanaScene);

const losesTransactions: Mischief = ({ method, params }) =>
  method === 'getBlock' &&
  (params[1] as { transactionDetails: string }).transactionDetails === 'full'
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
