// A trade in a random market, as quotes request it.

import { PoolGraph } from '../../src/trading/graph/pool-graph.ts';
import { SafetyCache } from '../../src/trading/graph/safety-cache.ts';
import type { RouteQuestion } from '../../src/trading/routing/trade-plan.ts';
import { createRandom } from './create-random.ts';
import { COIN } from './fake-market.ts';
import { createRandomMarket } from './random-pools.ts';
import { TRADE_COSTS } from './trade-costs.ts';

export interface RandomTrade {
  readonly seed: number;
  readonly poolCount: number;
  /** In common units of value: a market of 200 pools holds some millions. */
  readonly worth: number;
}

/** Gas that hardly counts, so that large trades are split among many pools. */
const OUT_PER_UNIT = { numerator: 1n, denominator: 1_000n };

export function createRandomQuestion({ seed, poolCount, worth }: RandomTrade): RouteQuestion {
  const shape = { poolCount, assetCount: 6, noise: 0.002, concentratedShare: 0.6 };
  const market = createRandomMarket(createRandom(seed), shape);
  const [tokenIn, tokenOut] = market.assets;
  if (tokenIn === undefined || tokenOut === undefined) throw new Error('no assets');
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: null } });
  for (const pool of market.pools) graph.set(pool);
  return {
    graph,
    safetyCache: new SafetyCache(),
    trusted: new Set(market.assets),
    isPaused: () => false,
    tokenIn,
    tokenOut,
    size: {
      fixed: 'input',
      amountRaw: BigInt(Math.max(1, Math.floor(worth / (market.worths[0] ?? 1)))),
      reserveBps: 0,
    },
    outPerUnit: OUT_PER_UNIT,
    costs: TRADE_COSTS,
  };
}
