// Division of whole numbers that rounds up.

/** The numerator must not be negative. */
export function divideUp(numerator: bigint, divisor: bigint): bigint {
  return (numerator + divisor - 1n) / divisor;
}
