// Transactions of the newest version are read, and unknown ones neither stop the chain nor go
// unnoticed.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
  WHOLE_RANGE,
} from '../../../../test/fakes/solana-endpoints.ts';
import {
  buildCpmmSwap,
  POOL,
  TOKEN,
  toSwapSignature,
} from '../../../../test/fakes/solana-scene.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';

afterEach(endSolanaScene);

const RANGE = { ...WHOLE_RANGE, toBlock: 106 };
const WATCHED = { ...RANGE, only: { tokens: new Set([TOKEN]), pools: new Set([POOL]) } };

/** With a swap of a version in its last block, and one whose shape is not known. */
function buildChain(version: number) {
  const chain = buildSolanaChain();
  const swap = { ...buildCpmmSwap({ id: 7, amountIn: 70n, amountOut: 60n }), version };
  const odd = {
    version,
    transaction: { signatures: ['x'], message: { accountKeys: [] } },
    meta: {},
  };
  chain.add(106, {
    transactions: [swap, ...(version > 1 ? [odd as unknown as RawTransaction] : [])],
  });
  return chain;
}

for (const [name, range] of [['whole blocks', RANGE] as const, ['watched', WATCHED] as const]) {
  for (const version of [1, 2, 9]) {
    test(`version ${version} in ${name} does not stop the chain`, async () => {
      const node = await startSolanaNode(buildChain(version));
      const adapter = openSolanaAdapter([node]);
      const { blocks } = await adapter.readBlocks(range);
      const swaps = blocks.flatMap(({ events }) =>
        events.flatMap((event) => (event.kind === 'swap' ? [event.txHash] : [])),
      );
      assert.deepEqual(swaps, [1, 3, 7].map(toSwapSignature));
      const { limitations = [], undecoded = [] } = adapter.status?.() ?? {};
      const told = limitations.filter((text) => text.includes(`version ${version}:`));
      assert.equal(told.length, version > 1 ? 1 : 0);
      const counts = undecoded.filter(
        ({ discriminator }) => discriminator === `version-${version}`,
      );
      assert.equal(counts.length, version > 1 ? 1 : 0);
    });
  }
}

test('an endpoint that refuses every version is not believed', async () => {
  const chain = buildSolanaChain();
  const [faulty, honest] = [await startSolanaNode(chain), await startSolanaNode(chain)];
  faulty.misbehave(({ method }) =>
    method === 'getBlock'
      ? { do: 'error', code: -32015, message: 'Transaction version (0) is not supported' }
      : null,
  );
  const { blocks } = await openSolanaAdapter([faulty, honest]).readBlocks(WHOLE_RANGE);
  assert.equal(blocks.length, 2);
});
