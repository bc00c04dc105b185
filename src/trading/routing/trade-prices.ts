// The prices of a route: before the trade, as executed, and the price impact.

import { pow10, type Ratio, ratioToText } from '../../lib/decimal.ts';
import type { TradeSide } from '../../model/market-record.ts';
import type { BestRoute } from './route.ts';
import type { RouteHop } from './route-swaps.ts';

const PIPS = 1_000_000n;
/** Sums have this many fractional bits. */
const FRACTION_BITS = 192n;

function computePathPrice(hops: readonly RouteHop[], withFees: boolean): Ratio {
  let numerator = 1n;
  let denominator = 1n;
  for (const hop of hops) {
    const { pool, zeroForOne } = hop;
    const mid = pool.curve.midPrice(zeroForOne);
    numerator *= mid.numerator;
    denominator *= mid.denominator;
    if (!withFees) continue;
    numerator *= PIPS - BigInt(pool.curve.feePips(zeroForOne));
    denominator *= PIPS;
    const parts = pool.curve.splitTransfers?.(zeroForOne, hop);
    if (parts === undefined || hop.amountIn === 0n || hop.amountOut === 0n) continue;
    numerator *= (hop.amountIn - parts.inRaw) * hop.amountOut;
    denominator *= hop.amountIn * (hop.amountOut + parts.outRaw);
  }
  return { numerator, denominator };
}

/** What the route would pay without moving any price, with fractional bits. */
function computeStillOut(route: BestRoute, withFees: boolean): bigint {
  return route.legs.reduce((sum, leg) => {
    const price = computePathPrice(leg.hops, withFees);
    return sum + ((leg.amountIn * price.numerator) << FRACTION_BITS) / price.denominator;
  }, 0n);
}

/** In whole basis points, rounded. Rounding of dust counts like any other loss. */
export function computePriceImpactBps(route: BestRoute): number {
  const still = computeStillOut(route, true);
  const lost = still - (route.amountOut << FRACTION_BITS);
  if (lost <= 0n || still === 0n) return 0;
  return Number((lost * 20_000n + still) / (2n * still));
}

interface PriceUnits {
  readonly side: TradeSide;
  readonly decimalsIn: number | null;
  readonly decimalsOut: number | null;
}

/** Quote asset per token; null if either has no decimals. */
function computePrice(amounts: { readonly in: bigint; readonly out: bigint }, units: PriceUnits) {
  const { side, decimalsIn, decimalsOut } = units;
  if (decimalsIn === null || decimalsOut === null) return null;
  const valueIn = amounts.in * pow10(decimalsOut);
  const valueOut = amounts.out * pow10(decimalsIn);
  const [numerator, denominator] = side === 'buy' ? [valueIn, valueOut] : [valueOut, valueIn];
  return denominator === 0n ? null : ratioToText({ numerator, denominator });
}

export function computeSpotPrice(route: BestRoute, units: PriceUnits): string | null {
  const out = computeStillOut(route, false);
  return computePrice({ in: route.amountIn << FRACTION_BITS, out }, units);
}

export function computeExecutionPrice(
  amounts: { readonly in: bigint; readonly out: bigint },
  units: PriceUnits,
): string | null {
  return computePrice(amounts, units);
}
