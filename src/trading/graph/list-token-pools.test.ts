// Which pools of a token are not known in full.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { listPartialPools } from './list-token-pools.ts';
import { PoolGraph } from './pool-graph.ts';

const WETH = buildFakeAddress('aa', 1);
const TOKEN = buildFakeAddress('aa', 2);
const OTHER = buildFakeAddress('aa', 3);
const COIN = buildFakeAddress('aa', 4);

it('lists pools with unknown ticks; native and wrapped coin count as one', () => {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  const partial = { inexact: 'ticks' } as const;
  const own = createPair(1, [TOKEN, WETH], [DEEP, DEEP], partial);
  const native = createPair(2, [COIN, TOKEN], [DEEP, DEEP], partial);
  const foreign = createPair(5, [OTHER, WETH], [DEEP, DEEP], partial);
  for (const pool of [
    ...[own, native, foreign, createPair(3, [TOKEN, WETH])],
    createPair(4, [TOKEN, OTHER], [DEEP, DEEP], { inexact: 'hook' }),
  ]) {
    graph.set(pool);
  }
  assert.deepEqual(listPartialPools(graph, TOKEN, 100).sort(), [own.pool, native.pool].sort());
  assert.equal(listPartialPools(graph, COIN, 100).length, 3);
  assert.deepEqual(listPartialPools(graph, buildFakeAddress('aa', 9), 100), []);
});

it('lists pools whose tokens may soon take another fee of transfers', () => {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  const fees = { fee0: { bps: 200, maxRaw: 10n ** 9n }, fee1: null, untilBlock: 1000 };
  const levied = { ...createPair(1, [TOKEN, WETH]), transferFees: fees };
  graph.set(levied);
  graph.set(createPair(2, [TOKEN, WETH]));
  assert.deepEqual(listPartialPools(graph, TOKEN, 699), []);
  assert.deepEqual(listPartialPools(graph, TOKEN, 700), [levied.pool]);
});

it('lists no more than a few, however many there are', () => {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  for (let number = 1; number <= 100; number += 1) {
    graph.set(createPair(number, [TOKEN, WETH], [DEEP, DEEP], { inexact: 'ticks' }));
  }
  assert.equal(listPartialPools(graph, TOKEN, 100).length, 50);
});
