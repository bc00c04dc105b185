// Swaps of pairs of unlisted factories count only if both tokens moved.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import {
  address,
  buildSwapLogs,
  createSceneAdapter,
  endScene,
  FALSE_PAIR as FORK,
  startNode,
  TOKEN,
  TRADER,
  topic,
  WETH,
} from '../../../../test/fakes/chain-scene.ts';
import { MemoryChain, type MemoryLog } from '../../../../test/fakes/memory-chain.ts';
import { poolId } from '../../../../test/test-ids.ts';
import type { BlockEvents } from '../../../model/block-events.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import { uintWord } from '../data/hex-data.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';

afterEach(endScene);

const STORED: PoolDescription = {
  ...{ pool: poolId(FORK), vault: FORK, token0: WETH, token1: TOKEN, kind: 'constantProduct' },
  ...{ venue: `v2-like:${address(0xf)}`, feePips: 3000, terms: { isFeeUnchecked: true } },
};

const move = (token: Address, from: Address, to: Address, amount: number): MemoryLog => ({
  ...{ address: token, topics: [TRANSFER_TOPIC, topic(from), topic(to)] },
  data: `0x${uintWord(amount)}`,
});
const pay = (amount: number) => move(WETH, TRADER, FORK, amount);
const get = (amount: number) => move(TOKEN, FORK, TRADER, amount);
/** Sells `amount` of token0 for one unit more of token1. */
const swap = (amount: number) => buildSwapLogs(FORK, amount);

/** One transaction a block, all of them final. */
async function createScene(transactions: readonly (readonly MemoryLog[])[]) {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true });
  for (const logs of transactions) chain.add([{ from: TRADER, logs: [...logs] }]);
  const adapter = createSceneAdapter([await startNode(chain)], {
    knownPools: async (pools) => [STORED].filter(({ pool }) => pools.includes(pool)),
  });
  return { adapter, range: { fromBlock: 1, toBlock: chain.head } };
}

/** The first amounts of swaps, and the first reserves of changes. */
function listAmounts(blocks: readonly BlockEvents[]) {
  const events = blocks.flatMap((block) => block.events);
  return {
    swaps: events.flatMap((one) => (one.kind === 'swap' ? [Number(one.amount0)] : [])),
    reserves: events.flatMap((one) =>
      one.kind === 'poolChanged' && 'reserve0' in one.change ? [Number(one.change.reserve0)] : [],
    ),
  };
}

const REAL = [
  [pay(10), get(11), ...swap(10)],
  // Two swaps, each with transfers of its own.
  [pay(20), get(21), ...swap(20), pay(30), get(31), ...swap(30)],
];
const MADE_UP = [
  swap(100),
  [pay(101), ...swap(101)],
  [get(103), ...swap(102)],
  [pay(103), get(103), ...swap(103)],
  // Transfers of other tokens, to others, or of a pair to itself.
  [move(TOKEN, TRADER, FORK, 104), move(WETH, FORK, TRADER, 105), ...swap(104)],
  [move(WETH, TRADER, TRADER, 105), get(106), ...swap(105)],
  [move(WETH, FORK, FORK, 106), move(TOKEN, FORK, FORK, 107), ...swap(106)],
  // Transfers after the swap.
  [...swap(107), pay(107), get(108)],
];
const EXPECTED = { swaps: [10, 20, 30], reserves: [10, 20, 30] };

describe('a swap of an unlisted fork that moved nothing', () => {
  for (const linked of [true, false]) {
    it(`is left out of ${linked ? 'new' : 'old'} blocks, with its reserves`, async () => {
      const { adapter, range } = await createScene([...MADE_UP, ...REAL]);
      const { blocks } = await adapter.readBlocks({ ...range, linked });
      assert.deepEqual(listAmounts(blocks), EXPECTED);
    });
  }

  it('is left out where only some pools are read', async () => {
    const { adapter, range } = await createScene([...MADE_UP, ...REAL]);
    const only = { tokens: new Set<Address>(), pools: new Set([STORED.pool]) };
    const { blocks } = await adapter.readBlocks({ ...range, linked: false, only });
    assert.deepEqual(listAmounts(blocks), EXPECTED);
  });

  it('is left out of the history', async () => {
    const { adapter, range } = await createScene([...MADE_UP, ...REAL]);
    const query = { ...range, pools: [STORED], detail: 'trades' } as const;
    const history = adapter.history ?? assert.fail();
    const { blocks } = await history.readPoolEvents(query);
    const events = blocks.map(({ header, logs }) => ({
      ...{ header, events: logs.flatMap((log) => log.events) },
    }));
    assert.deepEqual(listAmounts(events), EXPECTED);
  });

  it('does not share the transfers of another swap', async () => {
    const { adapter, range } = await createScene([[pay(10), get(11), ...swap(10), ...swap(9)]]);
    const { blocks } = await adapter.readBlocks({ ...range, linked: true });
    assert.deepEqual(listAmounts(blocks).swaps, [10]);
  });
});
