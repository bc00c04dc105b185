// Text for unsigned 256-bit integers that sorts bytewise in the order of the numbers.
//
// Two digits of length, then the decimal digits: 10^18 is `191000000000000000000`, zero is `010`.
// The wire string is `.slice(2)`, and a person reading the table can read the amount.

export const UINT256_MAX = 2n ** 256n - 1n;

export function toSortableInteger(value: bigint): string {
  if (value < 0n || value > UINT256_MAX) {
    throw new RangeError(`Not an unsigned 256-bit integer: ${value}`);
  }
  const digits = value.toString();
  return digits.length < 10 ? `0${digits.length}${digits}` : `${digits.length}${digits}`;
}

export function parseSortableInteger(text: string): bigint {
  const digits = text.slice(2);
  // Reading back is our own text, so a mismatch is corruption and not somebody's input.
  if (Number(text.slice(0, 2)) !== digits.length || digits.length === 0) {
    throw new RangeError(`Not a sortable integer: ${JSON.stringify(text)}`);
  }
  return BigInt(digits);
}
