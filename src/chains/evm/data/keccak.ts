// Keccak-256 by Node's own OpenSSL where it has it (five to twenty times as fast), otherwise by
// viem. Not every Node 24 is built with it.

import { hash } from 'node:crypto';
import { keccak256 } from 'viem/utils';

type Keccak = (bytes: Uint8Array) => Uint8Array;

function findNative(): Keccak | null {
  const native: Keccak = (bytes) => hash('keccak-256', bytes, 'buffer');
  try {
    native(new Uint8Array());
    return native;
  } catch {
    return null;
  }
}

/** Null where Node's OpenSSL has none. */
export const nativeKeccak: Keccak | null = findNative();

export const keccak: Keccak = nativeKeccak ?? ((bytes) => keccak256(bytes, 'bytes'));

export function toHex(bytes: Uint8Array): string {
  const { buffer, byteOffset, length } = bytes;
  return `0x${Buffer.from(buffer, byteOffset, length).toString('hex')}`;
}
