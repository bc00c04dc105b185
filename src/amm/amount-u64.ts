// Amounts on Solana have 64 bits.

export const AMOUNT_U64_MAX = 2n ** 64n - 1n;

/** The next amount above a number, if there is one. */
export function toAmountAbove(number: number): bigint {
  return number < Number(AMOUNT_U64_MAX) ? BigInt(Math.ceil(number)) + 1n : AMOUNT_U64_MAX;
}
