// The best route over 200 pools, for part `quote` and for a profile of it.

import assert from 'node:assert/strict';
import { findBestRoute } from '../src/trading/routing/route.ts';
import { createRandom } from '../test/fakes/create-random.ts';
import {
  createHopCost,
  createRandomMarket,
  type RandomMarket,
} from '../test/fakes/random-pools.ts';
import { QUOTE_LIMITS } from '../test/fakes/trade-costs.ts';
import { median, spread } from './measure.ts';
import type { Row } from './row.ts';

const ROUTE_MS_MAX = 5;
export const WORTHS = [100, 1_000, 10_000, 100_000] as const;

/** As quotes do: net of gas, within the room of one transaction. */
export function routeOnce(market: RandomMarket, worth: number): number {
  const [tokenIn, tokenOut] = market.assets;
  assert.ok(tokenIn !== undefined && tokenOut !== undefined);
  const amountIn = BigInt(Math.floor(worth / (market.worths[0] ?? 1)));
  const options = { ...QUOTE_LIMITS, cost: createHopCost(market) };
  const startedMs = performance.now();
  const route = findBestRoute(market.graph, { tokenIn, tokenOut, amountIn }, options);
  const elapsedMs = performance.now() - startedMs;
  assert.ok(route !== null);
  return elapsedMs;
}

interface RouteTimes {
  readonly coldMs: readonly number[];
  readonly warmMs: readonly number[];
}

/** A new market for every measurement, so that nothing about its pools is cached. */
function routeMarkets(marketCount: number): RouteTimes {
  const coldMs: number[] = [];
  const warmMs: number[] = [];
  for (let seed = 1; seed <= marketCount; seed += 1) {
    const assetCount = [4, 8, 15, 30][seed % 4] ?? 8;
    const shape = { poolCount: 200, assetCount, noise: 0.001, concentratedShare: 0.6 };
    for (const worth of WORTHS) {
      const market = createRandomMarket(createRandom(seed), shape);
      coldMs.push(routeOnce(market, worth));
      warmMs.push(routeOnce(market, worth));
    }
  }
  return { coldMs, warmMs };
}

/** The same markets in every round, created again. */
export function benchRoute(quick: boolean): Row {
  const [marketCount, roundCount] = quick ? [8, 3] : [40, 5];
  // The first round warms up.
  routeMarkets(marketCount);
  const rounds = Array.from({ length: roundCount }, () => routeMarkets(marketCount));
  const medians = rounds.map(({ coldMs }) => median(coldMs));
  const ratios = medians.map((ms) => ROUTE_MS_MAX / ms);
  const warm = median(rounds.map(({ warmMs }) => median(warmMs)));
  const sorted = rounds.flatMap(({ coldMs }) => coldMs).toSorted((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  return {
    goal: 'bestRoute',
    ours: `${median(medians).toFixed(2)} ms`,
    peer: '',
    ratio: median(ratios),
    spread: spread(ratios),
    note:
      `net of gas, medians of ${roundCount} rounds over ${marketCount * WORTHS.length} markets whose pools all have just ` +
      `changed, 95 % below ${high.toFixed(2)} ms; asked again ${warm.toFixed(2)} ms`,
  };
}
