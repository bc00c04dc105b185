// The fee of pools of bins: a base fee, and a variable one that rises with the bins crossed and
// decays with time.

import { minOf } from '../../lib/bigint-bounds.ts';
import { divideUp } from '../divide-up.ts';

const SCALE = 10_000;
const POWER_BASE = 10n;

/** How rates are counted. */
export interface RateUnits {
  /** A rate of one. */
  readonly scale: bigint;
  /** What the base factor times the bin step is multiplied with. */
  readonly baseUnit: bigint;
  readonly variableDivisor: bigint;
  /** A tenth. */
  readonly max: bigint;
}

export interface BinFeeTerms {
  readonly binStep: number;
  readonly baseFactor: number;
  readonly basePower: number;
  readonly filterSeconds: number;
  readonly decaySeconds: number;
  readonly reduction: number;
  readonly control: number;
  readonly volatilityMax: number;
}

export interface BinVolatility {
  readonly volatility: number;
  readonly volatilityReference: number;
  readonly indexReference: number;
  /** In seconds. */
  readonly updatedAt: number;
}

/** The references at the start of a swap. */
export function renewVolatility(
  terms: BinFeeTerms,
  before: BinVolatility,
  swap: { readonly activeId: number; readonly nowSeconds: number },
): BinVolatility {
  const elapsed = swap.nowSeconds - before.updatedAt;
  const updatedAt = swap.nowSeconds;
  if (elapsed < terms.filterSeconds) return { ...before, updatedAt };
  const isDecayed = elapsed >= terms.decaySeconds;
  const volatilityReference = isDecayed
    ? 0
    : Math.floor((before.volatility * terms.reduction) / SCALE);
  return { ...before, indexReference: swap.activeId, volatilityReference, updatedAt };
}

export function findVolatility(terms: BinFeeTerms, at: BinVolatility, id: number): number {
  const moved = at.volatilityReference + Math.abs(at.indexReference - id) * SCALE;
  return Math.min(moved, terms.volatilityMax);
}

/** The part of the fee that is the same in all bins. */
export function findBaseRate(
  { baseFactor, binStep, basePower }: BinFeeTerms,
  { baseUnit }: RateUnits,
): bigint {
  return BigInt(baseFactor * binStep) * baseUnit * POWER_BASE ** BigInt(basePower);
}

/** In a bin. */
export function findFeeRate(
  terms: BinFeeTerms,
  volatility: number,
  { units, baseRate }: { readonly units: RateUnits; readonly baseRate: bigint },
): bigint {
  const moved = BigInt(volatility * terms.binStep);
  const variable = BigInt(terms.control) * moved * moved;
  const rate = baseRate + divideUp(variable, units.variableDivisor);
  return minOf(rate, units.max);
}
