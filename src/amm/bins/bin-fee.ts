// The fee of Meteora's DLMM: a base fee, and a variable one that rises with the bins crossed and
// decays with time.

import { divideUp } from '../divide-up.ts';

const SCALE = 10_000;
const VARIABLE_DIVISOR = 100_000_000_000n;
const BASE_UNIT = 10n;
const POWER_BASE = 10n;
const RATE_MAX = 100_000_000n;
/** Rates are in 1e-9. */
export const RATE_SCALE = 1_000_000_000n;

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

/** The part of the fee that is the same in all bins, in 1e-9. */
export function findBaseRate({ baseFactor, binStep, basePower }: BinFeeTerms): bigint {
  return BigInt(baseFactor * binStep) * BASE_UNIT * POWER_BASE ** BigInt(basePower);
}

/** In 1e-9, in a bin. */
export function findFeeRate(
  terms: BinFeeTerms,
  at: BinVolatility,
  bin: { readonly id: number; readonly baseRate: bigint },
): bigint {
  const moved = BigInt(findVolatility(terms, at, bin.id) * terms.binStep);
  const variable = BigInt(terms.control) * moved * moved;
  const rate = bin.baseRate + divideUp(variable, VARIABLE_DIVISOR);
  return rate > RATE_MAX ? RATE_MAX : rate;
}
