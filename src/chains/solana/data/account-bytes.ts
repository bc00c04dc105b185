// Fields of an account or an event: little-endian integers and keys at fixed offsets.

import type { Address } from '../../../model/ids.ts';
import { encodeBase58Data } from './base58-data.ts';
import { toSolanaAddress } from './solana-ids.ts';

const KEY_BYTES = 32;
const WORD_BYTES = 8;
const WORD_BITS = 64n;

/** Reading beyond the end throws a RangeError, except where a default is given. */
export class AccountBytes {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** The first bytes as hex: which kind of account, instruction or event it is. */
  discriminator(byteCount = WORD_BYTES): string {
    return this.#bytes.toString('hex', 0, byteCount);
  }

  u8(offset: number): number {
    return this.#bytes.readUInt8(offset);
  }

  u16(offset: number): number {
    return this.#bytes.readUInt16LE(offset);
  }

  u32(offset: number): number {
    return this.#bytes.readUInt32LE(offset);
  }

  i32(offset: number): number {
    return this.#bytes.readInt32LE(offset);
  }

  u64(offset: number): bigint {
    return this.#bytes.readBigUInt64LE(offset);
  }

  i64(offset: number): bigint {
    return this.#bytes.readBigInt64LE(offset);
  }

  u128(offset: number): bigint {
    return this.u64(offset) + (this.u64(offset + WORD_BYTES) << WORD_BITS);
  }

  i128(offset: number): bigint {
    return this.u64(offset) + (this.i64(offset + WORD_BYTES) << WORD_BITS);
  }

  key(offset: number): Address {
    if (offset + KEY_BYTES > this.#bytes.length) throw new RangeError(`no key at ${offset}`);
    return toSolanaAddress(encodeBase58Data(this.#bytes.subarray(offset, offset + KEY_BYTES)));
  }

  /** The bytes from an offset on. */
  from(offset: number): AccountBytes {
    return new AccountBytes(this.#bytes.subarray(offset));
  }

  /** Whether the account reaches that far: layouts grow, and old accounts stay short. */
  has(offset: number, byteCount: number): boolean {
    return offset + byteCount <= this.#bytes.length;
  }
}
