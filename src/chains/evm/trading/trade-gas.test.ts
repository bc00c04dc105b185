// Compares the gas model with measured transactions of the router on a real node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRADE_COSTS } from '../../../../test/fakes/trade-costs.ts';
import { address } from '../../../../test/test-ids.ts';
import type { TradeHop, TradePath } from '../../../trading/quote/priced-trade.ts';
import { computeTradeCost } from '../../../trading/routing/trade-cost.ts';
import type { SwapCost } from '../../transaction-costs.ts';
import { findSwapCost } from './evm-transaction-costs.ts';

type Kind = 'v2' | 'v3' | 'v4';

function findCost(kind: Kind): SwapCost {
  if (kind === 'v2') return findSwapCost({ kind: 'constantProduct', terms: null });
  const custody =
    kind === 'v4' ? ({ kind: 'singleton', hooks: null } as const) : ({ kind: 'own' } as const);
  return findSwapCost({ kind: 'concentrated', terms: { tickSpacing: 60, custody } });
}

function buildSwapPath(kinds: readonly Kind[], takes: TradePath['takes'] = 'input'): TradePath {
  const hops = kinds.map(
    (kind, index): Partial<TradeHop> => ({
      cost: findCost(kind),
      vault: address(kind === 'v4' ? 'manager' : `pool ${index}`),
      ticksCrossed: 0,
    }),
  ) as TradeHop[];
  return { takes, amountInRaw: 1n, amountOutRaw: 1n, hops };
}

const BUY = { isNativeIn: true, isNativeOut: false };
const SELL = { isNativeIn: false, isNativeOut: true };
const TOKENS = { isNativeIn: false, isNativeOut: false };

for (const [name, ends, routes, used] of [
  ['buy V2', BUY, [['v2']], 96_000],
  ['buy V3', BUY, [['v3']], 108_000],
  ['buy V4', BUY, [['v4']], 99_000],
  ['sell V2', SELL, [['v2']], 113_000],
  ['sell V3', SELL, [['v3']], 125_000],
  ['sell V4', SELL, [['v4']], 109_000],
  ['two hops V2', TOKENS, [['v2', 'v2']], 161_000],
  ['two hops V3', TOKENS, [['v3', 'v3']], 180_000],
  ['two hops V4', TOKENS, [['v4', 'v4']], 133_000],
  ['V3 then V4', TOKENS, [['v3', 'v4']], 194_000],
  ['split buy', BUY, [['v2'], ['v3'], ['v4']], 234_000],
  ['split sell', SELL, [['v2'], ['v3'], ['v4']], 251_000],
] as const) {
  test(`${name} is estimated at most a tenth too low and a fifth too high`, () => {
    const estimated = Number(
      computeTradeCost(
        TRADE_COSTS,
        routes.map((kinds) => buildSwapPath(kinds)),
        ends,
      ),
    );
    assert.ok(estimated >= used * 0.9 && estimated <= used * 1.2, `${estimated} of ${used}`);
  });
}

// Measured by `encode-swap.test.ts`, for a wallet that never held the output.
for (const [name, ends, routes, used] of [
  ['buy V2', BUY, [['v2']], 157_000],
  ['buy V3', BUY, [['v3']], 146_000],
  ['sell V2', SELL, [['v2']], 154_000],
  ['V4 for tokens', TOKENS, [['v4']], 167_000],
  ['two hops V2', TOKENS, [['v2', 'v2']], 255_000],
  ['V2 then V3', BUY, [['v2', 'v3']], 262_000],
  ['V2, V3, V4', TOKENS, [['v2', 'v3', 'v4']], 361_000],
  ['V3, V2, V2', TOKENS, [['v3', 'v2', 'v2']], 342_000],
  ['split', TOKENS, [['v2'], ['v3'], ['v4']], 350_000],
] as const) {
  test(`${name} for a given output fits the gas limit without a simulation`, () => {
    const swapPaths = routes.map((kinds) => buildSwapPath(kinds));
    const limit =
      (computeTradeCost(TRADE_COSTS, swapPaths, { ...ends, isOutputFixed: true }) * 3n) / 2n;
    // Up to a fifth is refunded at the end, but needed before.
    assert.ok(Number(limit) >= used * 1.25, `${limit} for ${used}`);
  });
}

function buildMany(kind: Kind, takes: TradePath['takes']): TradePath[] {
  return Array.from({ length: 12 }, () => buildSwapPath([kind], takes));
}

// Twelve parallel pools, and twelve more after them.
for (const [name, ends, swapPaths, used] of [
  ['V3', BUY, buildMany('v3', 'input'), 835_000],
  ['V4', BUY, buildMany('v4', 'input'), 789_000],
  ['V3 and V3', TOKENS, [...buildMany('v3', 'input'), ...buildMany('v3', 'part')], 1_710_000],
  ['V3 and V4', TOKENS, [...buildMany('v3', 'input'), ...buildMany('v4', 'part')], 1_760_000],
  ['V4 and V4', TOKENS, [...buildMany('v4', 'input'), ...buildMany('v4', 'part')], 1_806_000],
] as const) {
  test(`many pools of ${name} are estimated within an eighth`, () => {
    const estimated = Number(computeTradeCost(TRADE_COSTS, swapPaths, ends));
    assert.ok(estimated >= used * 0.875 && estimated <= used * 1.125, `${estimated} of ${used}`);
  });
}
