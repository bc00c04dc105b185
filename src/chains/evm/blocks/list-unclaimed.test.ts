// Swaps that no venue claims are counted, and only those in which tokens moved.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  buildSwapLogs,
  createSceneAdapter,
  endScene,
  FALSE_PAIR,
  startNode,
  TOKEN,
  TRADER,
  topic,
  WETH,
} from '../../../../test/fakes/chain-scene.ts';
import { MemoryChain, type MemoryLog } from '../../../../test/fakes/memory-chain.ts';
import type { Address } from '../../../model/ids.ts';
import { uintWord } from '../data/hex-data.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';

afterEach(endScene);

const DODO_TOPIC = '0xc2c0245e056d5fb095f04cd6373bc770802ebd1e6c918eb78fdef843cdb37b0f';

function move(token: Address, from: Address, to: Address): MemoryLog {
  const topics = [TRANSFER_TOPIC, topic(from), topic(to)];
  return { address: token, topics, data: `0x${uintWord(5)}` };
}

const PAID: readonly MemoryLog[] = [
  move(TOKEN, TRADER, FALSE_PAIR),
  move(WETH, FALSE_PAIR, TRADER),
];

test('a swap of an unknown pool counts if tokens moved both ways', async () => {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true });
  const undecoded = { address: FALSE_PAIR, topics: [DODO_TOPIC], data: '0x' };
  chain.add([
    { from: TRADER, logs: [...PAID, ...buildSwapLogs(FALSE_PAIR, 1)] },
    { from: TRADER, logs: [...PAID, undecoded] },
    { from: TRADER, logs: buildSwapLogs(FALSE_PAIR, 2) },
    { from: TRADER, logs: [...PAID.slice(1), ...buildSwapLogs(FALSE_PAIR, 3)] },
  ]);
  const adapter = createSceneAdapter([await startNode(chain)]);
  const { blocks } = await adapter.readBlocks({ fromBlock: 1, toBlock: 1, linked: true });
  const kinds = blocks.flatMap(({ events }) => events.map(({ kind }) => kind));
  assert.ok(kinds.every((kind) => kind === 'transfer'));
  assert.equal(adapter.status?.().swapsUnclaimed, 2);
});
