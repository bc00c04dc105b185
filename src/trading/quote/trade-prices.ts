// The prices of a route: before the trade, as it is executed, and what it moves.

import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import type { SwapPool } from '../../amm/swap-pool.ts';
import { pow10, type Ratio, ratioToText } from '../../lib/decimal.ts';
import type { TradeSide } from '../../model/market-record.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteHop } from '../routing/route-swaps.ts';

const PIPS = 1_000_000n;
const SQUARE_BITS = 192n;
/** Sums are kept to so many bits after the point. */
const FRACTION_BITS = 192n;

/** The fee of one direction, a protocol's share included. */
export function toHopFee(curve: SwapPool, zeroForOne: boolean): number {
  if (!(curve instanceof ConcentratedPool)) return curve.feePips;
  const { fees } = curve.terms;
  return zeroForOne ? fees.zeroForOne : fees.oneForZero;
}

/** What a unit in is worth in units out, without any fee. */
function toMidPrice(curve: SwapPool, zeroForOne: boolean): Ratio {
  if (!(curve instanceof ConcentratedPool)) {
    const { reserve0, reserve1 } = curve;
    return zeroForOne
      ? { numerator: reserve1, denominator: reserve0 }
      : { numerator: reserve0, denominator: reserve1 };
  }
  const square = curve.state.sqrtPriceX96 ** 2n;
  const one = 1n << SQUARE_BITS;
  return zeroForOne
    ? { numerator: square, denominator: one }
    : { numerator: one, denominator: square };
}

function toPathPrice(hops: readonly RouteHop[], withFees: boolean): Ratio {
  let numerator = 1n;
  let denominator = 1n;
  for (const { pool, zeroForOne } of hops) {
    const mid = toMidPrice(pool.curve, zeroForOne);
    numerator *= mid.numerator;
    denominator *= mid.denominator;
    if (!withFees) continue;
    numerator *= PIPS - BigInt(toHopFee(pool.curve, zeroForOne));
    denominator *= PIPS;
  }
  return { numerator, denominator };
}

/** What the route would pay if it moved no price, with so many bits after the point. */
function toStillOut(route: BestRoute, withFees: boolean): bigint {
  return route.legs.reduce((sum, leg) => {
    const price = toPathPrice(leg.hops, withFees);
    return sum + ((leg.amountIn * price.numerator) << FRACTION_BITS) / price.denominator;
  }, 0n);
}

/** In whole basis points, to the nearest. Rounding of dust counts like any other loss. */
export function toPriceImpactBps(route: BestRoute): number {
  const still = toStillOut(route, true);
  const lost = still - (route.amountOut << FRACTION_BITS);
  if (lost <= 0n || still === 0n) return 0;
  return Number((lost * 20_000n + still) / (2n * still));
}

export interface PriceUnits {
  readonly side: TradeSide;
  readonly decimalsIn: number | null;
  readonly decimalsOut: number | null;
}

/** Quote asset per token; null where either has no decimals. */
function toPrice(amounts: { readonly in: bigint; readonly out: bigint }, units: PriceUnits) {
  const { side, decimalsIn, decimalsOut } = units;
  if (decimalsIn === null || decimalsOut === null) return null;
  const valueIn = amounts.in * pow10(decimalsOut);
  const valueOut = amounts.out * pow10(decimalsIn);
  const [numerator, denominator] = side === 'buy' ? [valueIn, valueOut] : [valueOut, valueIn];
  return denominator === 0n ? null : ratioToText({ numerator, denominator });
}

export function toSpotPrice(route: BestRoute, units: PriceUnits): string | null {
  const out = toStillOut(route, false);
  return toPrice({ in: route.amountIn << FRACTION_BITS, out }, units);
}

export function toExecutionPrice(
  amounts: { readonly in: bigint; readonly out: bigint },
  units: PriceUnits,
): string | null {
  return toPrice(amounts, units);
}
