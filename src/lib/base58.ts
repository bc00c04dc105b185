// Base58 in Bitcoin's alphabet, as Solana writes keys and signatures; base62, as ids are written.

import { base58 } from '@scure/base';

// Unsigned integers in base62, written with a fixed number of digits.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit += 1) {
  DIGITS[ALPHABET.charCodeAt(digit)] = digit;
}

/** The value of a few digits from `start` on; NaN if one of them is not a digit. */
export function parseBase62(text: string, start: number): number {
  let value = 0;
  for (let at = start; at < text.length; at += 1) {
    const digit = DIGITS[text.charCodeAt(at)] ?? -1;
    if (digit < 0) return Number.NaN;
    value = value * 62 + digit;
  }
  return value;
}

export function toBase62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text = `${ALPHABET[Number(rest % 62n)]}${text}`;
    rest /= 62n;
  }
  if (rest !== 0n) throw new RangeError(`The value needs more than ${length} digits`);
  return text;
}

/** We read nothing longer than 64 bytes in base58, and the work is quadratic. */
const TEXT_LENGTH_MAX = 128;

export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/** Null for text that is not base58 or is too long. */
export function decodeBase58(text: string): Uint8Array | null {
  if (text.length > TEXT_LENGTH_MAX) return null;
  try {
    return base58.decode(text);
  } catch {
    return null;
  }
}
