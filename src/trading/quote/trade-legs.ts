// A found route as legs to show, and as swap paths to execute.

import { SolidlyPairPool } from '../../amm/solidly-pair/solidly-pair-pool.ts';
import type { SwapPool } from '../../amm/swap-pool.ts';
import { OnChainPool } from '../../amm/unpriced/on-chain-pool.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteHop } from '../routing/route-swaps.ts';
import type { TradeHop, TradeLeg, TradePath } from './priced-trade.ts';

const BPS = 10_000n;

function findStable(curve: SwapPool): boolean | null {
  const isKnown = curve instanceof SolidlyPairPool || curve instanceof OnChainPool;
  return isKnown ? curve.isStable : null;
}

function toHop(hop: RouteHop): TradeHop {
  const { pool, zeroForOne } = hop;
  return {
    venue: pool.venue,
    pool,
    tokenIn: hop.tokenIn,
    tokenOut: hop.tokenOut,
    isStable: findStable(pool.curve),
    amountInRaw: hop.amountIn,
    amountOutRaw: hop.amountOut,
    ...(hop.askedOut === undefined ? {} : { askedOutRaw: hop.askedOut }),
    feePips: pool.curve.feePips(zeroForOne),
    ticksCrossed: hop.ticksCrossed,
    cost: pool.cost,
    vault: pool.vault,
  };
}

/** Splits a whole by weights; the first part gets the rounding remainder. */
function divide(whole: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const parts = weights.map((weight) => (whole * weight) / total);
  const given = parts.reduce((sum, part) => sum + part, 0n);
  return parts.map((part, index) => (index === 0 ? part + whole - given : part));
}

export function buildTradeLegs(route: BestRoute): readonly TradeLeg[] {
  const shares = divide(
    BPS,
    route.legs.map(({ amountIn }) => amountIn),
  );
  return route.legs.map((leg, index) => ({
    shareBps: Number(shares[index] ?? 0n),
    hops: leg.hops.map(toHop),
  }));
}

/** `sentRaw` is what leaves the wallet: more than the pools receive if the token is taxed. */
export function buildTradePaths(route: BestRoute, sentRaw: bigint): readonly TradePath[] {
  const firsts = route.swapPaths.filter(({ takes }) => takes === 'input');
  const arriving = firsts.map(({ amountIn }) => amountIn);
  const sent = route.amountIn === sentRaw ? arriving : divide(sentRaw, arriving);
  const sentInto = new Map(firsts.map((swapPath, index) => [swapPath, sent[index] ?? 0n]));
  return route.swapPaths.map((swapPath) => ({
    takes: swapPath.takes,
    amountInRaw: sentInto.get(swapPath) ?? swapPath.amountIn,
    amountOutRaw: swapPath.amountOut,
    hops: swapPath.hops.map(toHop),
  }));
}
