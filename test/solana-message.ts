// Reads a transaction of Solana as a wallet does, apart from the encoder: signatures, header, keys,
// instructions.

import assert from 'node:assert/strict';
import { encodeBase58 } from '../src/lib/base58.ts';

interface ReadInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
}

export interface ReadTransaction {
  readonly length: number;
  readonly signatures: readonly Buffer[];
  readonly signers: readonly string[];
  readonly keys: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly ReadInstruction[];
  isWritable(key: string): boolean;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    this.#at += 1;
    return this.#bytes.readUInt8(this.#at - 1);
  }

  take(count: number): Buffer {
    this.#at += count;
    assert.ok(this.#at <= this.#bytes.length, 'the transaction is too short');
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** Seven bits a byte. */
  count(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.count() }, read);
  }
}

export function readSolanaMessage(base64: string): ReadTransaction {
  const bytes = Buffer.from(base64, 'base64');
  const reader = new Reader(bytes);
  const signatures = reader.list(() => reader.take(64));
  assert.equal(reader.byte(), 0x80, 'the message is of version 0');
  const [required = 0, readonlySigned = 0, readonlyUnsigned = 0] = reader.take(3);
  const keys = reader.list(() => encodeBase58(reader.take(32)));
  const blockhash = encodeBase58(reader.take(32));
  const keyAt = (index: number) => keys[index] ?? assert.fail(`no key ${index}`);
  const instructions = reader.list(() => {
    const program = keyAt(reader.byte());
    const accounts = reader.list(() => keyAt(reader.byte()));
    return { program, accounts, data: Buffer.from(reader.list(() => reader.byte())) };
  });
  assert.equal(reader.count(), 0, 'there are no lookup tables');
  assert.ok(reader.isAtEnd);
  assert.equal(new Set(keys).size, keys.length, 'each key is listed once');
  assert.equal(signatures.length, required);
  const isWritable = (key: string) => {
    const index = keys.indexOf(key);
    if (index < required) return index < required - readonlySigned;
    return index < keys.length - readonlyUnsigned;
  };
  const signers = keys.slice(0, required);
  return { length: bytes.length, signatures, signers, keys, blockhash, instructions, isWritable };
}
