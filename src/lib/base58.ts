// Base58 in Bitcoin's alphabet, as Solana writes keys and signatures.

import { base58 } from '@scure/base';

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
