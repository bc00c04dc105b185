// Whole numbers in base 36 take two thirds of the digits that they take in base 10.

/** So many digits are below 2^53. */
const PART_LENGTH = 10;
const PART_FACTOR = 36n ** BigInt(PART_LENGTH);

export function encodeBase36(value: bigint): string {
  return value.toString(36);
}

/** Of digits that have been checked, with or without a minus sign. */
export function parseBase36(text: string): bigint {
  if (text.startsWith('-')) return -parseBase36(text.slice(1));
  if (text.length <= PART_LENGTH) return BigInt(Number.parseInt(text, 36));
  const end = text.length - PART_LENGTH;
  return parseBase36(text.slice(0, end)) * PART_FACTOR + parseBase36(text.slice(end));
}
