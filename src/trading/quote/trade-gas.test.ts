// The gas model against what the router's transactions were seen to use on a real node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TradeHop, TradeLeg } from './priced-trade.ts';
import { toGas } from './trade-gas.ts';

type Kind = 'v2' | 'v3' | 'v4';

/** In pools of its own, or where `pools` says so in pools that other legs have used. */
function toLeg(kinds: readonly Kind[], number: number, pools = `${number}`): TradeLeg {
  const hops = kinds.map((kind, index) => {
    const name = `${pools}.${index}`;
    const pool = { kind, pair: name, pool: name, id: name };
    return { pool, ticksCrossed: 0 } as unknown as TradeHop;
  });
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
    const told = Number(
      toGas(
        routes.map((kinds, number) => toLeg(kinds, number)),
        ends,
      ),
    );
    assert.ok(told >= used * 0.9 && told <= used * 1.2, `${told} of ${used}`);
  });
}

// The same leg ten times in one transaction, less once, by nine.
for (const [name, ends, kinds, used] of [
  ['V2', BUY, ['v2'], 28_200],
  ['V3', BUY, ['v3'], 35_000],
  ['V4', BUY, ['v4'], 49_200],
  ['two hops V2', TOKENS, ['v2', 'v2'], 49_400],
  ['two hops V4', TOKENS, ['v4', 'v4'], 70_700],
  ['three hops V3', TOKENS, ['v3', 'v3', 'v3'], 111_900],
  ['three hops V4', TOKENS, ['v4', 'v4', 'v4'], 89_200],
  ['V2, V3, V4', TOKENS, ['v2', 'v3', 'v4'], 123_200],
] as const) {
  test(`behavior: ${name} in pools used before is told within a twentieth too little`, () => {
    const once = toGas([toLeg(kinds, 0)], ends);
    const legs = Array.from({ length: 10 }, (_, number) => toLeg(kinds, number, 'same'));
    const told = Number(toGas(legs, ends) - once) / 9;
    assert.ok(told >= used * 0.95 && told <= used * 1.4, `${told} of ${used}`);
  });
}
