// Which fees of a route are uncertain, and whether only they keep it from being exact.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import type { Address } from '../../model/ids.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { areKnown, findOpenFee, findRouterFlags, listOpenFlags } from './priced-trade.ts';

type RoutePool = Pick<GraphPool, 'inexact' | 'unchecked'>;

const PLAIN: RoutePool = { inexact: null };
const open = (unchecked: string): RoutePool => ({ inexact: 'unchecked', unchecked });

function judge(pools: readonly RoutePool[], isFeeSure: boolean | null = null) {
  const flags = listOpenFlags(pools, () => isFeeSure);
  return { flags, openFee: findOpenFee(pools, flags), isKnown: areKnown(pools) };
}

test('a fee that depends on the time is open, alone or beside one that is not announced', () => {
  assert.deepEqual(judge([PLAIN, open('timedFee')]).openFee, 'timed');
  assert.deepEqual(judge([open('unannouncedFee'), open('timedFee')]).openFee, 'timed');
  assert.deepEqual(judge([open('unannouncedFee')]).openFee, 'silent');
  // What a plugin will choose shows at that time, too.
  assert.deepEqual(judge([open('pluginFee')]).openFee, 'timed');
  assert.deepEqual(judge([PLAIN]), { flags: '', openFee: null, isKnown: true });
});

test('nothing is settled by a fee where something else is uncertain', () => {
  for (const other of [open('movingRates'), open('timedFee limitOrders')]) {
    const { openFee, flags } = judge([open('timedFee'), other]);
    assert.equal(openFee, null);
    assert.ok(flags.includes('timedFee'));
  }
  for (const inexact of ['hook', 'ticks'] as const) {
    const { openFee, isKnown } = judge([open('timedFee'), { inexact }]);
    assert.deepEqual([openFee, isKnown], [null, false]);
  }
});

test('a reading decides about a fee that may change without an event', () => {
  assert.equal(judge([PLAIN], true).flags, '');
  assert.deepEqual(judge([PLAIN], false), {
    ...{ flags: 'unannouncedFee', openFee: 'silent', isKnown: true },
  });
  assert.deepEqual(judge([open('unannouncedFee')], true), {
    ...{ flags: '', openFee: null, isKnown: true },
  });
  assert.equal(judge([open('unannouncedFee')], false).openFee, 'silent');
  assert.equal(judge([open('timedFee')], true).openFee, 'timed', 'the time is still to come');
});

test('a router that keeps a unit is open, except where one pool is called itself', () => {
  const [a, b, coin] = [1, 2, 3].map((index) => buildFakeAddress('aa', index)) as [
    ...[Address, Address, Address],
  ];
  const judgeEnds = (tokenOut: Address, keepsUnit = true) =>
    findRouterFlags({ keepsUnit }, { hops: [{ tokenIn: a, tokenOut: b }], tokenIn: a, tokenOut });
  assert.deepEqual([judgeEnds(b), judgeEnds(coin), judgeEnds(coin, false)], ['', 'routerUnit', '']);
  const hops = [
    { tokenIn: a, tokenOut: coin },
    { tokenIn: coin, tokenOut: b },
  ];
  const flags = findRouterFlags({ keepsUnit: true }, { hops, tokenIn: a, tokenOut: b });
  assert.equal(findOpenFee([PLAIN], flags), 'silent');
});
