// Routers that were never executed are offered only where trades can be simulated.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TradeRouter } from '../../chains/trade-router.ts';
import { OfferedRouters } from './offered-routers.ts';

function createRouter(name: string, isProven: boolean): TradeRouter {
  return {
    name,
    venues: new Set([name]),
    canDivide: false,
    canTax: false,
    isProven,
    outputCall: 'input',
  };
}

const PROVEN = createRouter('proven', true);
const OTHER = createRouter('other', false);
const REACHED = { there: null, back: null };

it('all routers are offered until a probe shows that no node can simulate', () => {
  const routers = new OfferedRouters([PROVEN, OTHER]);
  assert.deepEqual(routers.list, [PROVEN, OTHER]);
  routers.onViews({ asContract: null, asWallet: null });
  assert.deepEqual(routers.list, [PROVEN]);
  routers.onViews({ asContract: REACHED, asWallet: null });
  assert.deepEqual(routers.list, [PROVEN, OTHER]);
});

it('a chain on which one router reaches all pools has no list', () => {
  const routers = new OfferedRouters(undefined);
  routers.onViews({ asContract: null, asWallet: null });
  assert.equal(routers.list, undefined);
});
