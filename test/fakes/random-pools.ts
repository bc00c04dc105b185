// Pools of every kind between assets of random value, near their fair prices: a market for routing.

import { computeDirectionFees } from '../../src/amm/concentrated/concentrated-kind.ts';
import { ConcentratedPool } from '../../src/amm/concentrated/concentrated-pool.ts';
import { toTick } from '../../src/amm/concentrated/tick-at-sqrt-price.ts';
import { ConstantProductPool } from '../../src/amm/constant-product/constant-product-pool.ts';
import type { SwapPool } from '../../src/amm/swap-pool.ts';
import { TickList } from '../../src/amm/tick-list.ts';
import type { Address } from '../../src/model/ids.ts';
import type { PoolTerms } from '../../src/model/pool.ts';
import { PoolGraph } from '../../src/trading/graph/pool-graph.ts';
import type { GraphPool } from '../../src/trading/graph/pool-graph-pool.ts';
import type { RouteCost } from '../../src/trading/routing/route-single.ts';
import { createUnitCost } from '../../src/trading/routing/trade-cost.ts';
import { poolId } from '../test-ids.ts';
import { buildFakeAddress, COIN } from './fake-market.ts';
import { PLAIN_RULES } from './trade-costs.ts';

export interface MarketShape {
  readonly poolCount: number;
  readonly assetCount: number;
  /** How far pools deviate from the fair price, as a share of it. */
  readonly noise: number;
  /** The share of pools with concentrated liquidity. */
  readonly concentratedShare: number;
}

export interface RandomMarket {
  readonly graph: PoolGraph;
  readonly pools: readonly GraphPool[];
  readonly assets: readonly Address[];
  /** What one raw unit of an asset is worth, in common units. */
  readonly worths: readonly number[];
}

const TERMS = [
  { feePips: 100, tickSpacing: 1 },
  { feePips: 500, tickSpacing: 10 },
  { feePips: 3000, tickSpacing: 60 },
  { feePips: 10_000, tickSpacing: 200 },
] as const;

function toRaw(value: number): bigint {
  return BigInt(Math.max(1, Math.floor(value)));
}

interface Sides {
  readonly raw0: number;
  readonly raw1: number;
}

function createConcentrated(random: () => number, sides: Sides): SwapPool {
  const terms = TERMS[Math.floor(random() * TERMS.length)] ?? TERMS[2];
  const { tickSpacing, feePips } = terms;
  const sqrtPrice = Math.sqrt(sides.raw1 / sides.raw0);
  const sqrtPriceX96 = BigInt(Math.floor(sqrtPrice * 2 ** 48)) << 48n;
  const tick = toTick(sqrtPriceX96);
  const depth = Math.sqrt(sides.raw0 * sides.raw1);
  const nets = new Map<number, bigint>();
  let liquidity = 0n;
  const positions = 1 + Math.floor(random() * 8);
  for (let i = 0; i < positions; i += 1) {
    const isWide = i === 0 && random() < 0.8;
    const reach = isWide ? 60_000 : Math.exp(Math.log(tickSpacing * 4) + random() * 5);
    const centre = tick + (isWide ? 0 : (random() - 0.5) * reach);
    const align = (at: number) => Math.floor(at / tickSpacing) * tickSpacing;
    const lower = align(centre - reach);
    const upper = align(centre + reach) + tickSpacing;
    const amount = toRaw(depth * (0.2 + random()) * Math.min(30, 4000 / reach + 1));
    nets.set(lower, (nets.get(lower) ?? 0n) + amount);
    nets.set(upper, (nets.get(upper) ?? 0n) - amount);
    if (lower <= tick && tick < upper) liquidity += amount;
  }
  const rows = Array.from(nets, ([at, liquidityNet]) => ({ tick: at, liquidityNet }));
  const fees = computeDirectionFees(feePips, 0);
  const ticks = new TickList(rows);
  return new ConcentratedPool(
    { sqrtPriceX96, liquidity, tick },
    { bitmapSpacing: tickSpacing, fees, ticks },
  );
}

const RANGE_TERMS = { tickSpacing: 60, custody: { kind: 'own' } } as const;

export function createRandomMarket(random: () => number, shape: MarketShape): RandomMarket {
  const assets = Array.from({ length: shape.assetCount }, (_, i) => buildFakeAddress('aa', i + 1));
  const worths = assets.map(() => 10 ** (-14 + random() * 9));
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: null } });
  const pools: GraphPool[] = [];
  while (pools.length < shape.poolCount) {
    const a = Math.floor(random() * assets.length);
    const b = Math.floor(random() * assets.length);
    if (a >= b) continue;
    const [token0, token1] = [assets[a], assets[b]];
    const depth = 10 ** (3 + random() * 3);
    const stray = 1 + (random() - 0.5) * 2 * shape.noise;
    const raw0 = depth / (worths[a] ?? 1);
    const raw1 = (depth / (worths[b] ?? 1)) * stray;
    if (token0 === undefined || token1 === undefined) continue;
    const isConcentrated = random() < shape.concentratedShare;
    const curve = isConcentrated
      ? createConcentrated(random, { raw0, raw1 })
      : new ConstantProductPool({ reserve0: toRaw(raw0), reserve1: toRaw(raw1) }, 3000);
    const vault = buildFakeAddress('dd', pools.length + 1);
    const terms: PoolTerms = isConcentrated
      ? { kind: 'concentrated', terms: RANGE_TERMS }
      : { kind: 'constantProduct', terms: null };
    const pool: GraphPool = {
      pool: poolId(vault),
      venue: isConcentrated ? 'uniswap-v3' : 'uniswap-v2',
      token0,
      token1,
      feePips: 3000,
      vault,
      ...terms,
      cost: PLAIN_RULES.findSwapCost(terms),
      bytes: PLAIN_RULES.findHopBytes(terms),
      inexact: null,
      curve,
    };
    graph.set(pool);
    pools.push(pool);
  }
  return { graph, pools, assets, worths };
}

/** A hop costs a tenth of a unit of value: as much as gas on a main chain at its cheapest. */
export function createHopCost({ worths }: RandomMarket): RouteCost {
  const hopGas = 70_000;
  const perHop = 0.1 / (worths[1] ?? 1);
  return createUnitCost({ numerator: BigInt(Math.ceil(perHop)), denominator: BigInt(hopGas) });
}
