// The prices of a route: before the trade, as executed, and the price impact.

import { pow10, ratioToText } from '../../lib/decimal.ts';
import type { TradeSide } from '../../model/market-record.ts';
import type { BestRoute } from './route.ts';

const PIPS = 1_000_000n;
/** Sums have this many fractional bits. */
const FRACTION_BITS = 192n;

/** What a route would pay without moving any price, with fractional bits. */
interface StillOut {
  readonly withFees: bigint;
  readonly withoutFees: bigint;
}

/** Of one leg. */
function computeStillLeg({ amountIn, hops }: BestRoute['legs'][number]): StillOut {
  let numerator = 1n;
  let denominator = 1n;
  let keptNumerator = 1n;
  let keptDenominator = 1n;
  for (const hop of hops) {
    const { pool, zeroForOne } = hop;
    const mid = pool.curve.midPrice(zeroForOne);
    numerator *= mid.numerator;
    denominator *= mid.denominator;
    keptNumerator *= PIPS - BigInt(pool.curve.feePips(zeroForOne));
    keptDenominator *= PIPS;
    const parts = pool.curve.splitTransfers?.(zeroForOne, hop);
    if (parts === undefined || hop.amountIn === 0n || hop.amountOut === 0n) continue;
    keptNumerator *= (hop.amountIn - parts.inRaw) * hop.amountOut;
    keptDenominator *= hop.amountIn * (hop.amountOut + parts.outRaw);
  }
  const whole = (amountIn * numerator) << FRACTION_BITS;
  return {
    withFees: (whole * keptNumerator) / (denominator * keptDenominator),
    withoutFees: whole / denominator,
  };
}

/** A quote asks several times, and a route may have a hundred legs. */
const STILL_OUTS = new WeakMap<BestRoute, StillOut>();

function computeStillOut(route: BestRoute): StillOut {
  const known = STILL_OUTS.get(route);
  if (known !== undefined) return known;
  const sum = { withFees: 0n, withoutFees: 0n };
  for (const leg of route.legs) {
    const still = computeStillLeg(leg);
    sum.withFees += still.withFees;
    sum.withoutFees += still.withoutFees;
  }
  STILL_OUTS.set(route, sum);
  return sum;
}

/** In whole basis points, rounded. Rounding of dust counts like any other loss. */
export function computePriceImpactBps(route: BestRoute): number {
  const { withFees: still } = computeStillOut(route);
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
  const { withoutFees: out } = computeStillOut(route);
  return computePrice({ in: route.amountIn << FRACTION_BITS, out }, units);
}

export function computeExecutionPrice(
  amounts: { readonly in: bigint; readonly out: bigint },
  units: PriceUnits,
): string | null {
  return computePrice(amounts, units);
}
