// Fees of Meteora's programs, in 1e-9 of an amount and always rounded up.

import { divideUp } from './divide-up.ts';

export const NANO = 1_000_000_000n;

export function deductFee(amount: bigint, rate: bigint): bigint {
  return amount - divideUp(amount * rate, NANO);
}

/** The least amount that leaves so much after the fee. */
export function addFeeTo(kept: bigint, rate: bigint): bigint {
  return divideUp(kept * NANO, NANO - rate);
}
