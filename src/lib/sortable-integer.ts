// Text for unsigned 256-bit integers whose bytewise order is the numeric order.
//
// Two digits of length, then the decimal digits: 10^18 is `191000000000000000000`, zero is `010`.
// The wire string is `.slice(2)`, and people can read the amount in the table.

export const UINT256_MAX = 2n ** 256n - 1n;

export function toSortableInteger(value: bigint): string {
  if (value < 0n || value > UINT256_MAX) {
    throw new RangeError(`Not an unsigned 256-bit integer: ${value}`);
  }
  const digits = value.toString();
  return digits.length < 10 ? `0${digits.length}${digits}` : `${digits.length}${digits}`;
}

const ZERO_CODE = 48;

export function parseSortableInteger(text: string): bigint {
  const length = (text.charCodeAt(0) - ZERO_CODE) * 10 + text.charCodeAt(1) - ZERO_CODE;
  // We wrote this text ourselves, so a mismatch means corruption, not bad input.
  if (length !== text.length - 2 || length < 1) {
    throw new RangeError(`Not a sortable integer: ${JSON.stringify(text)}`);
  }
  return BigInt(text.slice(2));
}
