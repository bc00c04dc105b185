// Endpoints that lag, fail or know nothing of a token do not leave it without names.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { encodeAbiParameters } from 'viem';
import {
  createSceneAdapter,
  endScene,
  recordChain,
  startNode,
  TOKEN,
} from '../../../../test/fakes/chain-scene.ts';
import { RpcFault, type TrueAnswer } from '../../../../test/fakes/misbehaving-rpc.ts';
import { DECIMALS_SELECTOR } from './read-token-metadata.ts';

afterEach(endScene);

const BLOCK = 60;
const NAMED = { token: TOKEN, symbol: 'TKN', name: 'TKN', decimals: 18 };
const UNNAMED = { token: TOKEN, symbol: null, name: null, decimals: null };

/** A node up to a block; the token's contract is in the newest block. */
function answerAt(head: number, options: { readonly clamps?: boolean } = {}): TrueAnswer {
  const chain = recordChain();
  return (method, params) => {
    if (method !== 'eth_call') return chain.answerUpTo(head)(method, params);
    const [{ data }, tag] = params as [{ data: string }, string];
    const asked = tag === 'latest' ? head : Number(tag);
    if (asked > head && options.clamps !== true) throw new RpcFault(-32000, 'header not found');
    if (Math.min(asked, head) < BLOCK) return '0x';
    return data === DECIMALS_SELECTOR
      ? encodeAbiParameters([{ type: 'uint256' }], [18n])
      : encodeAbiParameters([{ type: 'string' }], ['TKN']);
  };
}

test('a backend that lags behind the block says nothing of its tokens', async () => {
  // It has told of the block before: a balancer had another machine answer.
  let head = BLOCK;
  const lagging = await startNode((method, params) => answerAt(head)(method, params));
  const adapter = createSceneAdapter([lagging, await startNode(answerAt(BLOCK))]);
  await adapter.readHead();
  head = BLOCK - 2;
  assert.deepEqual(await adapter.readTokenMetadata([TOKEN], { block: BLOCK }), [NAMED]);
});

test('an endpoint that has pruned the block is asked for the newest names', async () => {
  const pruned = await startNode((method, params) => {
    if (method === 'eth_call' && params[1] !== 'latest') {
      throw new RpcFault(-32000, 'missing trie node');
    }
    return answerAt(BLOCK)(method, params);
  });
  const adapter = createSceneAdapter([pruned]);
  assert.deepEqual(await adapter.readTokenMetadata([TOKEN], { block: BLOCK }), [NAMED]);
});

test('an endpoint that fails or answers of an older block is made up for by the others', async () => {
  const nodes = [
    await startNode(answerAt(BLOCK - 2, { clamps: true })),
    await startNode((method, params) => {
      if (method === 'eth_call') throw new RpcFault(-32603, 'internal error');
      return answerAt(BLOCK)(method, params);
    }),
    await startNode(answerAt(BLOCK)),
  ];
  nodes[0]!.misbehave(({ method }) =>
    method === 'eth_blockNumber' ? { do: 'change', change: () => '0x3c' } : null,
  );
  const adapter = createSceneAdapter(nodes);
  assert.deepEqual(await adapter.readTokenMetadata([TOKEN], { block: BLOCK }), [UNNAMED]);
  const again = { block: BLOCK, isAgain: true };
  assert.deepEqual(await adapter.readTokenMetadata([TOKEN], again), [NAMED]);
});
