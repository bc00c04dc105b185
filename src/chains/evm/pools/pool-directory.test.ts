// Pools created before reading began: found, confirmed and reported; impostors are not.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  address,
  buildSwapLogs,
  createSceneAdapter,
  endScene,
  FACTORY,
  FALSE_PAIR,
  PAIR,
  startNode,
  TOKEN,
  TRADER,
  topic,
  WETH,
} from '../../../../test/fakes/chain-scene.ts';
import { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import { poolId } from '../../../../test/test-ids.ts';
import type { Address } from '../../../model/ids.ts';

afterEach(endScene);

/** Contracts for `eth_call`: the pair is real, the other only claims to be. */
function answerCall(to: string, data: string): string {
  const pairs: readonly string[] = [PAIR, FALSE_PAIR];
  if (pairs.includes(to)) {
    const answers: Record<string, Address> = {
      '0xc45a0155': FACTORY,
      '0x0dfe1681': TOKEN,
      '0xd21220a7': WETH,
    };
    return topic(answers[data] ?? address(0));
  }
  return to === FACTORY && data.startsWith('0xe6a43905') ? topic(PAIR) : '0x';
}

test('a pool older than the index is announced once per range, an impostor never', async () => {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true, call: answerCall });
  for (let n = 1; n <= 4; n += 1) {
    chain.add([
      { from: TRADER, logs: [...buildSwapLogs(FALSE_PAIR, n), ...buildSwapLogs(PAIR, n)] },
    ]);
  }
  const node = await startNode(chain);
  const adapter = createSceneAdapter([node]);
  for (let round = 0; round < 2; round += 1) {
    const { blocks } = await adapter.readBlocks({ fromBlock: 1, toBlock: 4, linked: false });
    const events = blocks.flatMap((block) => block.events);
    assert.equal(events.length, 9);
    assert.deepEqual(events[0], {
      kind: 'poolCreated',
      complete: false,
      description: {
        pool: PAIR,
        kind: 'constantProduct',
        venue: 'uniswap-v2',
        token0: TOKEN,
        token1: WETH,
        feePips: 3000,
        vault: PAIR,
        terms: null,
      },
    });
    assert.ok(events.slice(1).every((event) => 'pool' in event && event.pool === poolId(PAIR)));
  }
  assert.equal(node.count('eth_call'), 8, 'asked in the first round only');
  assert.equal(adapter.status?.().poolsIgnored, 1);
});

test('a pool that the caller has stored is announced too, without asking its contract', async () => {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true });
  chain.add([{ from: TRADER, logs: buildSwapLogs(PAIR, 5) }]);
  const { pool, ...rest } = { pool: PAIR, venue: 'uniswap-v2', token0: TOKEN, token1: WETH };
  const kind = 'constantProduct' as const;
  const row = { pool: poolId(pool), kind, ...rest, feePips: 3000, vault: pool, terms: null };
  const node = await startNode(chain);
  const adapter = createSceneAdapter([node], { knownPools: async (pools) => pools.map(() => row) });
  for (let round = 0; round < 2; round += 1) {
    const { blocks } = await adapter.readBlocks({ fromBlock: 1, toBlock: 1, linked: false });
    const kinds = blocks.flatMap((block) => block.events.map((event) => event.kind));
    // A rollback may have taken the row back since it was read from the store.
    assert.deepEqual(kinds, ['poolCreated', 'poolChanged', 'swap']);
  }
  assert.equal(node.count('eth_call'), 0);
});
