// Small arithmetic on big integers that `Math` does not have.

// Square roots of large integers.

/** Rounded down. Newton's method from above converges without oscillating. */
export function computeSquareRoot(value: bigint): bigint {
  if (value < 0n) throw new RangeError('A negative number has no square root');
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(16).length * 4 + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

export function minOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
