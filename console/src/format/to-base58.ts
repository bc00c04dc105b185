// Bytes as base58, which Solana writes signatures in.

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58n;

export function toBase58(bytes: Uint8Array): string {
  let rest = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; rest > 0n; rest /= BASE) text = `${DIGITS[Number(rest % BASE)]}${text}`;
  // Each zero byte in front is a digit of its own.
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return DIGITS[0]?.repeat(zeros < 0 ? bytes.length : zeros) + text;
}
