// Names and decimals come from whichever endpoint has the mint, and decimals from balance rows,
// too.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
  WHOLE_RANGE,
} from '../../../../test/fakes/solana-endpoints.ts';
import { TOKEN } from '../../../../test/fakes/solana-scene.ts';

afterEach(endSolanaScene);

/** The balance rows have decimals, as nodes send them. */
function buildChain() {
  const chain = buildSolanaChain();
  for (const { transactions } of chain.blocks.values()) {
    for (const { meta } of transactions) {
      for (const row of [...(meta?.preTokenBalances ?? []), ...(meta?.postTokenBalances ?? [])]) {
        Object.assign(row.uiTokenAmount, { decimals: 6 });
      }
    }
  }
  return chain;
}

async function readDecimals(adapter: ReturnType<typeof openSolanaAdapter>) {
  const [metadata] = await adapter.readTokenMetadata([TOKEN]);
  return metadata?.decimals;
}

test('an endpoint that does not have the mint yet cannot hide it', async () => {
  const [late, honest] = [buildChain(), buildChain()];
  late.accounts.delete(TOKEN);
  const nodes = [await startSolanaNode(late), await startSolanaNode(honest)];
  assert.equal(await readDecimals(openSolanaAdapter(nodes)), 6);
});

test('an endpoint that has not reached the slot of the token is not asked', async () => {
  const [late, honest] = [buildChain(), buildChain()];
  const nodes = [await startSolanaNode(honest), await startSolanaNode(late)];
  const adapter = openSolanaAdapter(nodes.toReversed());
  late.cut(102);
  await adapter.readBlocks(WHOLE_RANGE);
  assert.equal(await readDecimals(adapter), 6);
  const asked = nodes[1]?.calls.filter(({ method }) => method === 'getMultipleAccounts') ?? [];
  const slots = asked.map(({ params }) => (params[1] as { minContextSlot: number }).minContextSlot);
  assert.ok(slots.every((slot) => slot >= 102));
});

test('decimals come from balances if no endpoint has the mint', async () => {
  const chain = buildChain();
  const adapter = openSolanaAdapter([await startSolanaNode(chain)]);
  await adapter.readBlocks(WHOLE_RANGE);
  chain.accounts.delete(TOKEN);
  assert.equal(await readDecimals(adapter), 6);
});

test('blocks do not wait for names while endpoints fail', async () => {
  const node = await startSolanaNode(buildChain());
  const adapter = openSolanaAdapter([node]);
  await adapter.readBlocks(WHOLE_RANGE);
  node.misbehave(() => ({ do: 'reply', status: 502, text: '' }));
  assert.equal(await readDecimals(adapter), 6);
});
