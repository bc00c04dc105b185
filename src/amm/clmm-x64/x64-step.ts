// One step of a swap at constant liquidity, with prices in 64.64: Uniswap V3's step, rounded in the
// pool's favour.

import { divideUp } from '../divide-up.ts';
import {
  computeBaseDown,
  computeBaseUp,
  computeQuoteDown,
  computeQuoteUp,
  findPriceAfterBaseIn,
  findPriceAfterBaseOut,
  findPriceAfterQuoteIn,
  findPriceAfterQuoteOut,
} from '../wide-price-math.ts';

const PIPS = 1_000_000n;

interface StepTerms {
  readonly zeroForOne: boolean;
  readonly price: bigint;
  /** Where the step ends at the latest. */
  readonly target: bigint;
  /** The liquidity times 2^64. */
  readonly wide: bigint;
  readonly feePips: bigint;
}

export interface X64Step {
  readonly priceAfter: bigint;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
}

/** What a step takes between two prices, without fee. */
function computeIn({ zeroForOne, price, wide }: StepTerms, after: bigint): bigint {
  return zeroForOne ? computeBaseUp(wide, after, price) : computeQuoteUp(wide, price, after);
}

function computeOut({ zeroForOne, price, wide }: StepTerms, after: bigint): bigint {
  return zeroForOne ? computeQuoteDown(wide, after, price) : computeBaseDown(wide, price, after);
}

function findPriceAfterIn({ zeroForOne, price, wide }: StepTerms, amount: bigint): bigint {
  return zeroForOne
    ? findPriceAfterBaseIn(wide, price, amount)
    : findPriceAfterQuoteIn(wide, price, amount);
}

function findPriceAfterOut(step: StepTerms, amount: bigint): bigint {
  const { zeroForOne, price, wide } = step;
  if (zeroForOne) return findPriceAfterQuoteOut(wide, price, amount);
  return findPriceAfterBaseOut(wide, price, amount) ?? step.target;
}

function addFee(amountIn: bigint, feePips: bigint): bigint {
  return divideUp(amountIn * feePips, PIPS - feePips);
}

/** Spends `rest`, fee included, or as much of it as brings the price to the target. */
export function stepIn(step: StepTerms, rest: bigint): X64Step {
  const { target, feePips } = step;
  const kept = (rest * (PIPS - feePips)) / PIPS;
  const whole = computeIn(step, target);
  const priceAfter = kept >= whole ? target : findPriceAfterIn(step, kept);
  const isAtTarget = priceAfter === target;
  const amountIn = isAtTarget ? whole : computeIn(step, priceAfter);
  const amountOut = computeOut(step, priceAfter);
  const feeAmount = isAtTarget ? addFee(amountIn, feePips) : rest - amountIn;
  return { priceAfter, amountIn, amountOut, feeAmount };
}

/** Buys `rest`, or as much of it as brings the price to the target. */
export function stepOut(step: StepTerms, rest: bigint): X64Step {
  const { target, feePips } = step;
  const whole = computeOut(step, target);
  const priceAfter = rest >= whole ? target : findPriceAfterOut(step, rest);
  const paid = priceAfter === target ? whole : computeOut(step, priceAfter);
  const amountIn = computeIn(step, priceAfter);
  // A rounded price may pay more than is wanted.
  const amountOut = paid > rest ? rest : paid;
  return { priceAfter, amountIn, amountOut, feeAmount: addFee(amountIn, feePips) };
}
