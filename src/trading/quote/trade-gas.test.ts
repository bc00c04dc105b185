// The gas model against what the router's transactions were seen to use on a real node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TradeHop, TradeLeg } from './priced-trade.ts';
import { toGas } from './trade-gas.ts';

type Kind = 'v2' | 'v3' | 'v4';

function toLeg(kinds: readonly Kind[]): TradeLeg {
  const hops = kinds.map((kind) => ({ pool: { kind }, ticksCrossed: 0 }) as unknown as TradeHop);
  return { shareBps: 10_000, amountInRaw: 1n, amountOutRaw: 1n, hops };
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
  test(`behavior: ${name} is told within a tenth too little and a fifth too much`, () => {
    const told = Number(toGas(routes.map(toLeg), ends));
    assert.ok(told >= used * 0.9 && told <= used * 1.2, `${told} of ${used}`);
  });
}
