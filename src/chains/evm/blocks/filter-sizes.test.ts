// Log queries name no more addresses and topics than the endpoint compares, and find the same.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  address,
  createSceneAdapter,
  endScene,
  LINKED,
  PAIR,
  recordChain,
  startNode,
  TOKEN,
} from '../../../../test/fakes/chain-scene.ts';
import { poolId } from '../../../../test/test-ids.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { splitFilter } from './filter-sizes.ts';
import { createLogFilters } from './log-filters.ts';

afterEach(endScene);

const word = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
const list = (count: number, from = 1) => Array.from({ length: count }, (_, n) => word(from + n));

test('a filter is split at its longest place; the parts find the same together', () => {
  const filter = { address: list(3), topics: [list(2), null, list(2500)] };
  const parts = splitFilter(filter);
  assert.ok(parts.every(({ topics }) => (topics[2]?.length ?? 0) <= 1000));
  assert.deepEqual(
    parts.flatMap(({ topics }) => topics[2]),
    filter.topics[2],
  );
  assert.ok(parts.every(({ address, topics }) => address.length === 3 && topics[1] === null));
  assert.deepEqual(splitFilter({ address: list(10), topics: [] }), [
    { address: list(10), topics: [] },
  ]);
  const both = splitFilter({ address: list(4), topics: [list(4)] }, 2);
  assert.equal(both.length, 4);
});

test('a token with 1,200 pools of V4 has its queries, of which none is too long', () => {
  const deployment = EVM_DEPLOYMENTS.ethereum;
  assert.ok(deployment !== undefined);
  const ids = list(1200, 1 << 20).map((id) => poolId(id));
  const filters = createLogFilters(deployment).build({ tokens: new Set(), pools: new Set(ids) });
  const parts = filters.flatMap((filter) => splitFilter(filter));
  assert.ok(filters.some((filter) => countItems(filter as never) >= 1200));
  assert.ok(parts.every((part) => countItems(part as never) <= 1000));
  assert.ok(ids.every((id) => parts.some(({ topics }) => topics[1]?.includes(id))));
});

/** The longest list that a query names in one place. */
function countItems({ address, topics }: Record<string, unknown[] | undefined>): number {
  const lists = [address ?? [], ...((topics ?? []) as unknown[][])];
  return Math.max(...lists.map((one) => one?.length ?? 0));
}

/** One watched token with pools that anybody can create for gas. */
const POOLS = Array.from({ length: 1200 }, (_, n) => poolId(address(0x10_0000 + n)));
const ONLY = { tokens: new Set([TOKEN]), pools: new Set([poolId(PAIR), ...POOLS]) };

for (const [most, code, message] of [
  [1000, -32602, 'exceed max addresses or topics per search position'],
  [300, -32602, 'This query contains 5006 filters. The current limit is 5000.'],
  [40, -32701, 'Please, specify less number of addresses (max: 40)'],
] as const) {
  test(`a token with 1,200 pools is watched where a query has at most ${most} values`, async () => {
    const node = await startNode(recordChain());
    node.misbehave(({ method, params }) => {
      const isLong = method === 'eth_getLogs' && countItems(params[0] as never) > most;
      return isLong ? { do: 'error', code, message } : null;
    });
    const adapter = createSceneAdapter([node], { limits: { timeoutMs: 60_000 } });
    const free = createSceneAdapter([await startNode(recordChain())]);
    for (const linked of [true, false]) {
      const range = { ...LINKED, linked, only: ONLY };
      const { blocks } = await adapter.readBlocks(range);
      assert.deepEqual(blocks, (await free.readBlocks(range)).blocks);
    }
    const count = (one: typeof adapter) => one.status?.().endpoints[0]?.failures;
    assert.equal(count(adapter), count(free), 'a long query is no failure of the endpoint');
  });
}
