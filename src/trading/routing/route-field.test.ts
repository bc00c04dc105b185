// Which pools a field has, in markets with more pools than it may have.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandomQuestion } from '../../../test/fakes/random-trade.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { type FieldPlan, FieldPools } from './route-field.ts';

const { graph: GRAPH, ...ENDS } = createRandomQuestion({ seed: 7, poolCount: 120, worth: 1 });
const COUNT_MAX = 40;
const isOdd = ({ pool }: GraphPool) => Number.parseInt(pool.at(-1) ?? '', 16) % 2 === 1;

function listIds({ pools }: FieldPlan): string[] {
  return pools.map(({ pool }) => pool.pool);
}

/** The graph with other pools. */
function changePools(change: (pool: GraphPool) => GraphPool | null): PoolGraph {
  const graph = new PoolGraph({ native: GRAPH.native });
  for (const pool of GRAPH.pools()) {
    const changed = change(pool);
    if (changed !== null) graph.set(changed);
  }
  return graph;
}

/** As a pool that holds nothing. */
function dropDepth(pool: GraphPool): GraphPool {
  const curve = Object.create(pool.curve, { depth: { value: Number.NaN } });
  return { ...pool, curve } as GraphPool;
}

function planOne(graph: PoolGraph, accepts?: (pool: GraphPool) => boolean): FieldPlan {
  const limits = { poolCountMax: COUNT_MAX, accepts };
  return new FieldPools(graph, ENDS).plan(limits, [null])[0] ?? assert.fail();
}

describe('the pools of a field', () => {
  it('are the deepest of each pair that are accepted, whatever others there are', () => {
    const all = listIds(planOne(GRAPH));
    assert.ok(all.length > 0 && all.length <= COUNT_MAX, `${all.length} of 120 pools`);
    const accepted = listIds(planOne(GRAPH, isOdd));
    assert.deepEqual(accepted, listIds(planOne(changePools((one) => (isOdd(one) ? one : null)))));
    assert.notDeepEqual(accepted, all);
  });

  it('are the same for each level as if it were planned alone', () => {
    const pools = new FieldPools(GRAPH, ENDS);
    const choices = [null, isOdd];
    for (const accepts of [isOdd, undefined, (pool: GraphPool) => !isOdd(pool), isOdd]) {
      const limits = { poolCountMax: COUNT_MAX, accepts };
      const alone = new FieldPools(GRAPH, ENDS).plan(limits, choices);
      assert.deepEqual(pools.plan(limits, choices).map(listIds), alone.map(listIds));
    }
  });

  it('do not depend on pools without a depth that are not accepted', () => {
    const graph = changePools((pool) => (isOdd(pool) ? pool : dropDepth(pool)));
    assert.deepEqual(listIds(planOne(graph, isOdd)), listIds(planOne(GRAPH, isOdd)));
  });

  it('are in the order of their ids', () => {
    const ids = listIds(planOne(GRAPH));
    assert.deepEqual(ids, ids.toSorted());
  });
});
