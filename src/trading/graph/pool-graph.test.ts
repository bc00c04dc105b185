// What the graph connects, and routes in a graph far larger than the search.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair } from '../../../test/fakes/fake-pair.ts';
import type { Address } from '../../model/ids.ts';
import { findBestRoute } from '../routing/route.ts';
import { PoolGraph } from './pool-graph.ts';

const WETH = buildFakeAddress('ee', 1);
const USDC = buildFakeAddress('ee', 2);

describe('PoolGraph', () => {
  it('joins the native coin and its wrapping, and no asset with itself', () => {
    const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
    graph.set(createPair(1, [COIN, USDC]));
    graph.set(createPair(2, [USDC, WETH]));
    graph.set(createPair(3, [COIN, WETH]));
    assert.equal(graph.between(USDC, WETH).size, 2);
    assert.deepEqual([...graph.neighbours(WETH).keys()], [USDC]);
    assert.equal(graph.size, 3);
  });

  it('forgets an asset with its last pool', () => {
    const graph = new PoolGraph({ native: { coin: COIN, wrapped: null } });
    const [first, second] = [createPair(1, [USDC, WETH]), createPair(2, [USDC, WETH])];
    for (const pool of [first, second]) graph.set(pool);
    graph.delete(first.pool);
    assert.equal(graph.between(WETH, USDC).size, 1);
    graph.delete(second.pool);
    graph.delete(second.pool);
    assert.deepEqual([graph.size, graph.neighbours(WETH).size, graph.hubs.size], [0, 0, 0]);
  });

  it('forgets only the pool that is deleted', () => {
    const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
    const wrapping = createPair(3, [COIN, WETH]);
    for (const pool of [createPair(1, [USDC, WETH]), wrapping]) graph.set(pool);
    graph.delete(wrapping.pool);
    assert.deepEqual([...graph.neighbours(WETH).keys()], [USDC]);
    assert.equal(graph.between(WETH, USDC).size, 1);
    assert.equal(graph.between(USDC, WETH).size, 1);
  });

  it('routes between hubs with thousands of neighbours, over other hubs', () => {
    const graph = new PoolGraph({ native: { coin: COIN, wrapped: null } });
    const hubs = [WETH, USDC, ...[3, 4, 5].map((number) => buildFakeAddress('ee', number))];
    let number = 0;
    const join = (a: Address, b: Address) => {
      number += 1;
      graph.set(createPair(number, a < b ? [a, b] : [b, a], [10n ** 22n, 10n ** 22n]));
    };
    for (const [index, hub] of hubs.entries()) {
      for (const other of hubs.slice(index + 1)) join(hub, other);
    }
    for (let token = 0; token < 3000; token += 1) {
      const hub = hubs[2 + (token % 3)]!;
      for (const end of [WETH, USDC, hub]) join(buildFakeAddress('aa', token + 1), end);
    }
    assert.deepEqual([...graph.hubs].sort(), [...hubs].sort());
    const route = findBestRoute(graph, {
      tokenIn: WETH,
      tokenOut: USDC,
      amountIn: 3n * 10n ** 21n,
    });
    // The direct pool, three hubs between, and three pairs of them.
    const between = route?.legs.map(({ hops }) => hops.length).sort() ?? [];
    assert.ok(between.length >= 4, `${between}`);
    const toToken = { tokenIn: WETH, tokenOut: buildFakeAddress('aa', 7), amountIn: 10n ** 21n };
    const lengths = findBestRoute(graph, toToken)?.legs.map(({ hops }) => hops.length) ?? [];
    assert.ok(lengths.includes(1) && lengths.includes(2), `${lengths}`);
  });
});
