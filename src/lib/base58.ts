// Base58 in Bitcoin's alphabet, as Solana writes keys and signatures.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS: ReadonlyMap<string, number> = new Map(
  [...ALPHABET].map((character, digit) => [character, digit]),
);

/** Nothing that we read in base58 is longer than 64 bytes; the work grows with the square. */
const TEXT_LENGTH_MAX = 128;

export function encodeBase58(bytes: Uint8Array): string {
  let value = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (value > 0n) {
    text = `${ALPHABET[Number(value % 58n)]}${text}`;
    value /= 58n;
  }
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  return '1'.repeat(zeros) + text;
}

/** Null for text that is not base58 or is longer than anything that we read. */
export function decodeBase58(text: string): Uint8Array | null {
  if (text.length > TEXT_LENGTH_MAX) return null;
  let value = 0n;
  for (const character of text) {
    const digit = DIGITS.get(character);
    if (digit === undefined) return null;
    value = value * 58n + BigInt(digit);
  }
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros += 1;
  const hex = value === 0n ? '' : value.toString(16);
  const body = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.alloc(zeros), body]);
}
