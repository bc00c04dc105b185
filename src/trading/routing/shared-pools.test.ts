// Rows that share one pool: a path takes one of them at most, because each swap changes the others.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { TRANSACTION_ROOM } from '../../../test/fakes/trade-costs.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import { findExactOutRoute } from './exact-out-route.ts';
import { type BestRoute, findBestRoute, planField } from './route.ts';
import { createField } from './route-field.ts';
import { FREE } from './route-single.ts';
import { SearchWork } from './search-work.ts';

const [A, B, C] = [
  buildFakeAddress('aaaa', 1),
  buildFakeAddress('bbbb', 2),
  buildFakeAddress('cccc', 3),
];
const AMOUNT = 10n ** 18n;

/** A leads to C by way of B, and directly at a tenth of the price. */
function createGraph(first: string, second: string): PoolGraph {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: null } });
  graph.set(createPair(1, [A, B], [DEEP, DEEP], { shared: first }));
  graph.set(createPair(2, [B, C], [DEEP, DEEP], { shared: second }));
  graph.set(createPair(3, [A, C], [DEEP, DEEP / 10n]));
  return graph;
}

function countHops(route: BestRoute | null): number {
  return (route ?? assert.fail()).swapPaths.flatMap(({ hops }) => hops).length;
}

describe('a path through rows of one pool', () => {
  const cases = [
    ['pools', 'other', 'another', 2],
    ['rows of one pool', 'one', 'one', 1],
  ] as const;

  for (const [name, first, second, hopCount] of cases) {
    it(`has ${hopCount} of two ${name} if the input is given`, () => {
      const request = { tokenIn: A, tokenOut: C, amountIn: AMOUNT };
      const route = findBestRoute(createGraph(first, second), request, { isDivided: false });
      assert.equal(countHops(route), hopCount);
    });

    it(`has ${hopCount} of two ${name} if the output is given`, () => {
      const ends = { tokenIn: A, tokenOut: C };
      const field = createField(planField(createGraph(first, second), ends, {}));
      const terms = {
        room: TRANSACTION_ROOM,
        cost: FREE,
        reserveBps: 0,
        call: 'commands',
      } as const;
      const search = { ...terms, work: new SearchWork() };
      const route = findExactOutRoute(field, { ...search, amountOut: AMOUNT / 1000n });
      assert.equal(countHops(route), hopCount);
    });
  }
});
