// Base58 of any length, for instruction data and keys: up to 1,232 bytes, thousands of times a
// second.
//
// Four digits are taken at a time into limbs of 28 bits: every product stays below 2^53, so plain
// numbers are exact, and the work is a thirtieth of digit by digit into bytes.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const GROUP = 4;
const LIMB_BITS = 28;
const LIMB = 2 ** LIMB_BITS;
/** Base58 of the largest transaction is shorter. */
const TEXT_LENGTH_MAX = 4096;

const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit += 1) {
  DIGITS[ALPHABET.charCodeAt(digit)] = digit;
}

function countLeadingOnes(text: string): number {
  let count = 0;
  while (text.charCodeAt(count) === 49) count += 1;
  return count;
}

/** The limbs of the number, lowest first; null if a character is no digit. */
function readLimbs(text: string): number[] | null {
  const limbs: number[] = [];
  for (let at = 0; at < text.length; ) {
    let factor = 1;
    let carry = 0;
    for (const end = Math.min(at + GROUP, text.length); at < end; at += 1) {
      const digit = DIGITS[text.charCodeAt(at)] ?? -1;
      if (digit < 0) return null;
      factor *= 58;
      carry = carry * 58 + digit;
    }
    for (let index = 0; index < limbs.length; index += 1) {
      const value = (limbs[index] ?? 0) * factor + carry;
      carry = Math.floor(value / LIMB);
      limbs[index] = value - carry * LIMB;
    }
    if (carry > 0) limbs.push(carry);
  }
  return limbs;
}

/** Null for text that is not base58 or is longer than any transaction. */
export function decodeBase58Data(text: string): Buffer | null {
  if (text.length > TEXT_LENGTH_MAX) return null;
  const limbs = readLimbs(text);
  if (limbs === null) return null;
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const limb of limbs) {
    held += limb * 2 ** bits;
    bits += LIMB_BITS;
    while (bits >= 8) {
      bytes.push(held % 256);
      held = Math.floor(held / 256);
      bits -= 8;
    }
  }
  if (bits > 0) bytes.push(held);
  while (bytes.length > 0 && bytes.at(-1) === 0) bytes.pop();
  const zeros = countLeadingOnes(text);
  const decoded = Buffer.alloc(zeros + bytes.length);
  for (let index = 0; index < bytes.length; index += 1) {
    decoded[zeros + index] = bytes[bytes.length - 1 - index] ?? 0;
  }
  return decoded;
}

/** The base in which text is built: a limb times 2^24 stays below 2^53. */
const TEXT_BASE = 58 ** GROUP;
const CHUNK_BYTES = 3;
const CHUNK = 2 ** 24;

/** The number in groups of four digits, lowest first. */
function readGroups(bytes: Uint8Array): number[] {
  const groups: number[] = [];
  // The first chunk may be shorter, so that the others end with the bytes.
  for (let at = 0, end = bytes.length % CHUNK_BYTES; at < bytes.length; end += CHUNK_BYTES) {
    let carry = 0;
    const factor = end - at === CHUNK_BYTES ? CHUNK : 256 ** (end - at);
    for (; at < end; at += 1) carry = carry * 256 + (bytes[at] ?? 0);
    for (let index = 0; index < groups.length; index += 1) {
      const value = (groups[index] ?? 0) * factor + carry;
      carry = Math.floor(value / TEXT_BASE);
      groups[index] = value - carry * TEXT_BASE;
    }
    for (; carry > 0; carry = Math.floor(carry / TEXT_BASE)) groups.push(carry % TEXT_BASE);
  }
  return groups;
}

export function encodeBase58Data(bytes: Uint8Array): string {
  let digits = '';
  for (const group of readGroups(bytes)) {
    let rest = group;
    for (let count = 0; count < GROUP; count += 1) {
      digits = (ALPHABET[rest % 58] ?? '') + digits;
      rest = Math.floor(rest / 58);
    }
  }
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  return '1'.repeat(zeros) + digits.replace(/^1+/, '');
}
