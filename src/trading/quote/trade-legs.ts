// A found route as legs that can be told, and as strands that can be executed.

import { ZERO_ADDRESS } from '../../model/market-event.ts';
import { hasFixedFee } from '../graph/pool-graph-hooks.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteHop } from '../routing/route-swaps.ts';
import type { PoolReference, TradeHop, TradeLeg, TradeStrand } from './priced-trade.ts';

/** In the key of a V4 pool: a hook decides the fee. */
const DYNAMIC_FEE = 0x800000;
const BPS = 10_000n;

/** Pools are immutable, so what they are called is worked out once. */
const references = new WeakMap<GraphPool, PoolReference>();

function createReference(pool: GraphPool): PoolReference {
  const { pool: id, token0, token1, feePips } = pool;
  if (pool.kind === 'constantProduct') return { kind: 'v2', pair: id };
  if (pool.kind !== 'concentrated') return { kind: 'none', id };
  const { tickSpacing, singleton } = pool.terms;
  if (singleton === null) return { kind: 'v3', pool: id, feePips };
  const { hooks } = singleton;
  const isFixed = hooks === null || hasFixedFee(pool, hooks);
  return {
    kind: 'v4',
    id,
    key: {
      currency0: token0,
      currency1: token1,
      fee: isFixed ? feePips : DYNAMIC_FEE,
      tickSpacing,
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
    feePips: pool.curve.feePips(zeroForOne),
    feeAmountRaw: hop.feeAmount,
    ticksCrossed: hop.ticksCrossed,
    cost: pool.cost,
    vault: pool.vault,
  };
}

/** Divides a whole by weights; the first part takes what rounding leaves over. */
function divide(whole: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const parts = weights.map((weight) => (whole * weight) / total);
  const given = parts.reduce((sum, part) => sum + part, 0n);
  return parts.map((part, index) => (index === 0 ? part + whole - given : part));
}

export function toTradeLegs(route: BestRoute): readonly TradeLeg[] {
  const shares = divide(
    BPS,
    route.legs.map(({ amountIn }) => amountIn),
  );
  return route.legs.map((leg, index) => ({
    shareBps: Number(shares[index] ?? 0n),
    hops: leg.hops.map(toHop),
  }));
}

/** `sentRaw` is what leaves the wallet: more than the pools get where the token is taxed. */
export function toTradeStrands(route: BestRoute, sentRaw: bigint): readonly TradeStrand[] {
  const firsts = route.strands.filter(({ takes }) => takes === 'input');
  const arriving = firsts.map(({ amountIn }) => amountIn);
  const sent = route.amountIn === sentRaw ? arriving : divide(sentRaw, arriving);
  const sentInto = new Map(firsts.map((strand, index) => [strand, sent[index] ?? 0n]));
  return route.strands.map((strand) => ({
    takes: strand.takes,
    amountInRaw: sentInto.get(strand) ?? strand.amountIn,
    amountOutRaw: strand.amountOut,
    hops: strand.hops.map(toHop),
  }));
}
