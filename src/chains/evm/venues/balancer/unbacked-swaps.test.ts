// Swaps of Balancer V2 count only as far as the vault moved what they are valued at.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import {
  address,
  createSceneAdapter,
  endScene,
  SCENE_DEPLOYMENT,
  startNode,
  TOKEN,
  TRADER,
  topic,
  WETH,
} from '../../../../../test/fakes/chain-scene.ts';
import { MemoryChain, type MemoryLog } from '../../../../../test/fakes/memory-chain.ts';
import {
  listVaultAnswers,
  toPoolWord,
  type VaultPool,
} from '../../../../../test/fakes/vault-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { BlockFilter } from '../../../adapter.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { uintWord } from '../../data/hex-data.ts';
import { DEPOSIT_TOPIC, TRANSFER_TOPIC } from '../../tokens/decode-transfer.ts';
import { BALANCER_SWAP_TOPICS } from './decode-vault-logs.ts';

afterEach(endScene);

const VAULT = address(0xba1);
const OTHER = address(0x0e4);
const FACTORY = address(0xfa7);
const DEPLOYMENT: EvmDeployment = {
  ...SCENE_DEPLOYMENT,
  balancer: [
    {
      ...{ venue: 'balancer-v2', vault: VAULT, version: 2 },
      weighted: { first: [], later: [FACTORY] },
    },
  ],
};
const POOL = {
  ...{ contract: address(0x5001), vault: VAULT, factory: null, swapFee: 10n ** 15n },
  ...{ tokens: [TOKEN, WETH, OTHER], decimals: [18, 18, 18] },
  ...{ balances: [10n ** 6n, 10n ** 6n, 10n ** 6n] },
  weights: [2n, 4n, 4n].map((tenths) => tenths * 10n ** 17n),
};

function swap(tokenIn: Address, tokenOut: Address, amounts: readonly [number, number]): MemoryLog {
  const word = toPoolWord(POOL.contract);
  const topics = [BALANCER_SWAP_TOPICS[2], word, topic(tokenIn), topic(tokenOut)];
  return { address: VAULT, topics, data: `0x${amounts.map(uintWord).join('')}` };
}

function move(token: Address, amount: number, [from, to]: readonly [Address, Address]): MemoryLog {
  const topics = [TRANSFER_TOPIC, topic(from), topic(to)];
  return { address: token, topics, data: `0x${uintWord(amount)}` };
}

const pay = (token: Address, amount: number) => move(token, amount, [TRADER, VAULT]);
const receive = (token: Address, amount: number) => move(token, amount, [VAULT, TRADER]);

async function readEvents(logs: readonly MemoryLog[], pool: VaultPool, only?: BlockFilter) {
  const answers = listVaultAnswers(pool);
  const call = (to: string, data: string) => answers.get(`${to} ${data}`) ?? '0x';
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true, call });
  chain.add([{ from: TRADER, logs }]);
  const adapter = createSceneAdapter([await startNode(chain)], { deployment: DEPLOYMENT });
  const range = { fromBlock: 1, toBlock: 1, linked: true, only };
  const { blocks } = await adapter.readBlocks(range);
  return blocks.flatMap((block) => block.events);
}

/** What came in and went out in the swaps that are kept of one transaction. */
async function readKept(logs: readonly MemoryLog[], only?: BlockFilter): Promise<bigint[][]> {
  const events = await readEvents(logs, POOL, only);
  const swaps = events.filter((event) => event.kind === 'swap');
  const rows = new Set(
    events.flatMap((event) => (event.kind === 'poolCreated' ? [event.description.pool] : [])),
  );
  assert.deepEqual(rows, new Set(swaps.map(({ pool }) => pool)), 'rows of the swaps alone');
  return swaps.map(({ amount0, amount1 }) => [amount0, amount1].sort((a, b) => Number(b - a)));
}

const MADE_UP = [swap(WETH, TOKEN, [900, 1]), swap(TOKEN, WETH, [1, 900])];

for (const [reading, only] of [
  ['whole blocks', undefined],
  ['some tokens', { tokens: new Set([TOKEN]), pools: new Set<never>() }],
] as const) {
  describe(`swaps of a vault, by ${reading}`, () => {
    it('are kept if the vault was paid, also with the wrapped coin that it made', async () => {
      const logs = [swap(WETH, TOKEN, [9, 7]), pay(WETH, 9), receive(TOKEN, 7)];
      assert.deepEqual(await readKept(logs, only), [[9n, -7n]]);
      const wrap = {
        address: WETH,
        topics: [DEPOSIT_TOPIC, topic(VAULT)],
        data: `0x${uintWord(9)}`,
      };
      assert.deepEqual(await readKept([swap(WETH, TOKEN, [9, 7]), wrap], only), [[9n, -7n]]);
    });

    it('are left out if they go there and back, whatever else was paid', async () => {
      assert.deepEqual(await readKept(MADE_UP, only), []);
      assert.deepEqual(await readKept([...MADE_UP, pay(TOKEN, 5)], only), []);
      const loan = [receive(WETH, 900), ...MADE_UP, pay(WETH, 900)];
      assert.deepEqual(await readKept(loan, only), []);
    });
  });
}

describe('swaps of a weighted pool that moved nothing', () => {
  it('change the balances of all its rows all the same', async () => {
    const logs = [...MADE_UP, swap(WETH, OTHER, [5, 6])];
    const events = await readEvents(logs, { ...POOL, factory: FACTORY });
    assert.ok(events.every(({ kind }) => kind !== 'swap'));
    const rows = events.flatMap((event) => (event.kind === 'poolCreated' ? [event] : []));
    assert.deepEqual(
      rows.map(({ description }) => description.kind),
      ['weighted', 'weighted', 'weighted'],
    );
    const changes = events.flatMap((event) => (event.kind === 'poolChanged' ? [event] : []));
    assert.deepEqual(
      new Set(changes.map(({ change }) => change)),
      new Set([
        { poolKind: 'weighted', deltas: { [WETH]: 900n, [TOKEN]: -1n } },
        { poolKind: 'weighted', deltas: { [WETH]: -900n, [TOKEN]: 1n } },
        { poolKind: 'weighted', deltas: { [WETH]: 5n, [OTHER]: -6n } },
      ]),
    );
    assert.equal(changes.length, 9);
  });
});

describe('what a vault gained', () => {
  it('backs each unit once', async () => {
    const twice = [swap(WETH, TOKEN, [9, 7]), swap(WETH, TOKEN, [9, 6]), pay(WETH, 9)];
    assert.deepEqual(await readKept(twice), [[9n, -7n]]);
  });

  it('must be of both tokens if neither is the wrapped coin or stable', async () => {
    const logs = [swap(TOKEN, OTHER, [9, 7]), pay(TOKEN, 9)];
    assert.deepEqual(await readKept(logs), []);
    assert.deepEqual(await readKept([...logs, receive(OTHER, 7)]), [[9n, -7n]]);
  });
});
