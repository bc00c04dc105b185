// Detects texts that look like a wallet's private key, so that they are rejected first.

/** Hex of 32 bytes, base58 of 64 bytes, or a JSON array of 64 numbers: how wallets export keys. */
const HEX_32_BYTES = /^(0x)?[0-9a-f]{64}$/i;
const BASE58_64_BYTES = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/;
const NUMBERS_64 = /^\[(\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]$/;

/** For credentials: no valid one has such a shape. */
export function isPrivateKeyShaped(text: string): boolean {
  return HEX_32_BYTES.test(text) || BASE58_64_BYTES.test(text) || NUMBERS_64.test(text);
}

/** For signatures: a Solana signature is also 64 bytes in base58. */
export function isPrivateKeyShapedSignature(text: string): boolean {
  return HEX_32_BYTES.test(text) || NUMBERS_64.test(text);
}
