// A found route as legs and hops that can be told and executed.

import { ZERO_ADDRESS } from '../../model/market-event.ts';
import { hasFixedFee } from '../graph/pool-graph-hooks.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteHop } from '../routing/route-simulate.ts';
import type { PoolReference, TradeHop, TradeLeg } from './priced-trade.ts';
import { toPoolKind } from './trade-gas.ts';
import { toHopFee } from './trade-prices.ts';

/** In the key of a V4 pool: a hook decides the fee. */
const DYNAMIC_FEE = 0x800000;
const BPS = 10_000n;

/** Pools are immutable, so what they are called is worked out once. */
const references = new WeakMap<GraphPool, PoolReference>();

function createReference(pool: GraphPool): PoolReference {
  const kind = toPoolKind(pool);
  if (kind === 'v2') return { kind, pair: pool.pool };
  if (kind === 'v3') return { kind, pool: pool.pool, feePips: pool.feePips };
  const { token0, token1, tickSpacing, hooks, feePips } = pool;
  const isFixed = hooks === null || hasFixedFee(pool, hooks);
  return {
    kind,
    id: pool.pool,
    key: {
      currency0: token0,
      currency1: token1,
      fee: isFixed ? feePips : DYNAMIC_FEE,
      tickSpacing: tickSpacing ?? 0,
      hooks: hooks ?? ZERO_ADDRESS,
    },
  };
}

export function toPoolReference(pool: GraphPool): PoolReference {
  let reference = references.get(pool);
  if (reference === undefined) {
    reference = createReference(pool);
    references.set(pool, reference);
  }
  return reference;
}

function toHop(hop: RouteHop): TradeHop {
  const { pool, zeroForOne } = hop;
  return {
    venue: pool.venue,
    pool: toPoolReference(pool),
    tokenIn: hop.tokenIn,
    tokenOut: hop.tokenOut,
    amountInRaw: hop.amountIn,
    amountOutRaw: hop.amountOut,
    feePips: toHopFee(pool.curve, zeroForOne),
    feeAmountRaw: hop.feeAmount,
    ticksCrossed: hop.ticksCrossed,
  };
}

/** Divides a whole by weights; the first part takes what rounding leaves over. */
function divide(whole: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const parts = weights.map((weight) => (whole * weight) / total);
  const given = parts.reduce((sum, part) => sum + part, 0n);
  return parts.map((part, index) => (index === 0 ? part + whole - given : part));
}

/** `sentRaw` is what leaves the wallet: more than the pools get where the token is taxed. */
export function toLegs(route: BestRoute, sentRaw: bigint): readonly TradeLeg[] {
  const arriving = route.legs.map(({ amountIn }) => amountIn);
  const sent = route.amountIn === sentRaw ? arriving : divide(sentRaw, arriving);
  const shares = divide(BPS, arriving);
  return route.legs.map((leg, index) => ({
    shareBps: Number(shares[index] ?? 0n),
    amountInRaw: sent[index] ?? 0n,
    amountOutRaw: leg.amountOut,
    hops: leg.hops.map(toHop),
  }));
}
