// The bound that `slippageBps: "auto"` picks: from the candles of the pools on the route.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { createPair } from '../../../test/fakes/fake-pair.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { PoolId } from '../../model/ids.ts';
import type { CandleRecord } from '../../model/market-record.ts';
import type { BestRoute } from '../routing/route.ts';
import { type CandleSource, pickSlippage } from './auto-slippage.ts';

const HEAD_MS = 1_790_000_000_000;
const [A, B] = [1, 2].map((number) =>
  createPair(number, [buildFakeAddress('aa', number), buildFakeAddress('bb', number)]),
) as [ReturnType<typeof createPair>, ReturnType<typeof createPair>];

/** One candle: high, low, close; then the same in dollars. */
type Prices = readonly [string, string, string, (readonly [string, string, string])?];

const MINUTE_MS = 60_000;
/** A token and the native coin; the native coin and a stable one. */
const ASSETS = { native: new Set([A.token1, B.token0]), stable: new Set([B.token1]) };

function toOhlc([high, low, close]: readonly [string, string, string, ...unknown[]]) {
  return { open: low, high, low, close };
}

function createSource(rows: ReadonlyMap<PoolId, readonly (Prices | null)[]>): CandleSource {
  return {
    readCandleRange: async (_chain, { token, pool, interval }, range) => {
      assert.deepEqual([interval, range.toMs - range.fromMs], ['1m', 1_800_001]);
      // Only token 0 of a pool is traded.
      if (token !== A.token0 && token !== B.token0) return [];
      return (rows.get(poolId(String(pool))) ?? []).flatMap((prices, minute) => {
        if (prices === null) return [];
        const native = toOhlc(prices);
        const usd = prices[3] === undefined ? null : toOhlc(prices[3]);
        const openTimeMs = HEAD_MS + (minute - 10) * MINUTE_MS;
        return [{ openTimeMs, native, nativeClean: native, usd, usdClean: usd } as CandleRecord];
      });
    },
  };
}

function buildRoute(...legs: readonly (readonly (typeof A)[])[]): BestRoute {
  const parts = legs.map((pools) => ({ hops: pools.map((pool) => ({ pool })) }));
  return { legs: parts } as unknown as BestRoute;
}

async function pick(prices: readonly (readonly (Prices | null)[])[], route: BestRoute) {
  const rows = new Map([A, B].map(({ pool }, index) => [pool, prices[index] ?? []]));
  const question = { chain: 'devnet', assets: ASSETS, route, headMs: HEAD_MS } as const;
  const { bps, movementBps } = await pickSlippage(createSource(rows), question);
  return [bps, movementBps];
}

test('the largest move within a minute counts, from the price before it', async () => {
  const calm: Prices = ['100', '100', '100'];
  assert.deepEqual(await pick([[calm, calm]], buildRoute([A])), [30, 0]);
  assert.deepEqual(
    await pick([[calm, ['102', '101.5', '102'], calm]], buildRoute([A])),
    [220, 200],
  );
  assert.deepEqual(await pick([[calm, ['100.5', '100', '100']]], buildRoute([A])), [70, 50]);
});

test('a close of an earlier minute than the one before does not count', async () => {
  const low: Prices = ['100', '100', '100'];
  const high: Prices = ['103', '103', '103'];
  assert.deepEqual(await pick([[low, null, high]], buildRoute([A])), [30, 0]);
  assert.deepEqual(await pick([[low, high]], buildRoute([A])), [320, 300]);
});

test('a price is measured in what the pool pays with', async () => {
  const inDollars = ['104', '100', '104'] as const;
  // Against the native coin nothing moved, whatever the coin did in dollars.
  assert.deepEqual(await pick([[['7', '7', '7', inDollars]]], buildRoute([A])), [30, 0]);
  // The native coin is always worth one native coin.
  assert.deepEqual(await pick([[], [['1', '1', '1', inDollars]]], buildRoute([B])), [420, 400]);
  // A token that is paid in dollars did not move; in the native coin it did.
  const still = ['5', '5', '5'] as const;
  assert.deepEqual(await pick([[], [['1.1', '1', '1', still]]], buildRoute([B])), [30, 0]);
});

test('moves of hops in a row add up; of routes beside each other the largest counts', async () => {
  const coin: Prices = ['1', '1', '1', ['102', '100', '102']];
  const moves: Prices[][] = [[['101', '100', '101']], [coin]];
  assert.deepEqual(await pick(moves, buildRoute([A, B])), [320, 300]);
  assert.deepEqual(await pick(moves, buildRoute([A], [B])), [220, 200]);
});

test('the bound ends at 5 %, and is 0.5 % if nothing is known', async () => {
  assert.deepEqual(await pick([[['200', '100', '100']]], buildRoute([A])), [500, 10_000]);
  assert.deepEqual(await pick([[]], buildRoute([A])), [50, null]);
  const route = buildRoute([A]);
  const question = { chain: 'devnet', assets: ASSETS, route, headMs: HEAD_MS } as const;
  assert.equal((await pickSlippage(undefined, question)).bps, 50);
});
