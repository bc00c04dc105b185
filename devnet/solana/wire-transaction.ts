// Transactions as they are sent: parsed for the chain, written and signed for its traders.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { decodeBase58Data, encodeBase58Data } from '../../src/chains/solana/data/base58-data.ts';

/** The most that fits into a packet. */
const TRANSACTION_BYTES_MAX = 1232;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSION_BIT = 0x80;

interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: string;
}

export interface TableLookup {
  readonly accountKey: string;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
}

export interface WireTransaction {
  readonly signatures: readonly string[];
  readonly version: 'legacy' | 0;
  readonly header: {
    readonly numRequiredSignatures: number;
    readonly numReadonlySignedAccounts: number;
    readonly numReadonlyUnsignedAccounts: number;
  };
  readonly accountKeys: readonly string[];
  readonly recentBlockhash: string;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly TableLookup[];
}

class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  peek(): number {
    return this.#bytes.readUInt8(this.#at);
  }

  byte(): number {
    const value = this.peek();
    this.#at += 1;
    return value;
  }

  /** A length in seven-bit groups, lowest first. */
  length(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value;
    }
    throw new RangeError('a length is too long');
  }

  text(byteCount: number): string {
    return encodeBase58Data(this.#take(byteCount));
  }

  numbers(): number[] {
    return [...this.#take(this.length())];
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.length() }, read);
  }

  #take(byteCount: number): Buffer {
    const end = this.#at + byteCount;
    if (end > this.#bytes.length) throw new RangeError('the transaction is cut off');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}

function readLookup(reader: WireReader): TableLookup {
  return {
    accountKey: reader.text(KEY_BYTES),
    writableIndexes: reader.numbers(),
    readonlyIndexes: reader.numbers(),
  };
}

/** Throws a RangeError if the bytes are not a transaction. */
export function parseWireTransaction(bytes: Buffer): WireTransaction {
  if (bytes.length > TRANSACTION_BYTES_MAX) throw new RangeError('the transaction is too large');
  const reader = new WireReader(bytes);
  const signatures = reader.list(() => reader.text(SIGNATURE_BYTES));
  const isVersioned = (reader.peek() & VERSION_BIT) !== 0;
  if (isVersioned && reader.byte() !== VERSION_BIT) throw new RangeError('its version is unknown');
  const header = {
    numRequiredSignatures: reader.byte(),
    numReadonlySignedAccounts: reader.byte(),
    numReadonlyUnsignedAccounts: reader.byte(),
  };
  const accountKeys = reader.list(() => reader.text(KEY_BYTES));
  const recentBlockhash = reader.text(KEY_BYTES);
  const instructions = reader.list(() => ({
    programIdIndex: reader.byte(),
    accounts: reader.numbers(),
    data: reader.text(reader.length()),
  }));
  const lookups = isVersioned ? reader.list(() => readLookup(reader)) : [];
  if (!reader.isAtEnd || signatures.length !== header.numRequiredSignatures) {
    throw new RangeError('the transaction has another length than its parts');
  }
  const version = isVersioned ? 0 : 'legacy';
  return { signatures, version, header, accountKeys, recentBlockhash, instructions, lookups };
}

/** Of a wallet of this process. */
export interface SigningKey {
  readonly address: string;
  readonly key: KeyObject;
}

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8. */
const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Equal seeds give equal keys. */
export function createSigningKey(seed: string): SigningKey {
  const secret = createHash('sha256').update(seed).digest();
  const der = Buffer.concat([PRIVATE_KEY_PREFIX, secret]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const bytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
  return { address: encodeBase58Data(bytes), key };
}

interface AccountUse {
  readonly address: string;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
}

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

/** Shorthand for the accounts of an instruction. */
export const use = {
  payer: (address: string): AccountUse => ({ address, isSigner: true, isWritable: true }),
  signer: (address: string): AccountUse => ({ address, isSigner: true, isWritable: false }),
  writable: (address: string): AccountUse => ({ address, isSigner: false, isWritable: true }),
  readonly: (address: string): AccountUse => ({ address, isSigner: false, isWritable: false }),
};

function encodeLength(length: number): number[] {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}

function toKeyBytes(address: string): Buffer {
  const key = decodeBase58Data(address);
  if (key?.length !== KEY_BYTES) throw new TypeError(`${address} is not an address`);
  return key;
}

/** Signers first, writable before read-only ones; who pays is the first of all. */
function orderAccounts(payer: string, instructions: readonly Instruction[]): AccountUse[] {
  const uses = new Map<string, AccountUse>([[payer, use.payer(payer)]]);
  const add = ({ address, isSigner, isWritable }: AccountUse) => {
    const known = uses.get(address);
    uses.set(address, {
      address,
      isSigner: isSigner || (known?.isSigner ?? false),
      isWritable: isWritable || (known?.isWritable ?? false),
    });
  };
  for (const { accounts } of instructions) accounts.forEach(add);
  for (const { program } of instructions) add(use.readonly(program));
  const rank = ({ isSigner, isWritable }: AccountUse) => (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
  return [...uses.values()].sort((a, b) => rank(a) - rank(b));
}

export interface TransactionPlan {
  readonly payer: SigningKey;
  /** Besides who pays. */
  readonly signers?: readonly SigningKey[];
  readonly instructions: readonly Instruction[];
}

/** A signed transaction without lookup tables. */
export function signTransaction(plan: TransactionPlan, recentBlockhash: string): Buffer {
  const { payer, signers = [], instructions } = plan;
  const accounts = orderAccounts(payer.address, instructions);
  const places = new Map(accounts.map(({ address }, index) => [address, index]));
  const placeOf = (address: string) => places.get(address) ?? 0;
  const signing = accounts.filter(({ isSigner }) => isSigner);
  const isReadonly = ({ isWritable }: AccountUse) => !isWritable;
  const message = Buffer.concat([
    Uint8Array.of(
      signing.length,
      signing.filter(isReadonly).length,
      accounts.filter((one) => !one.isSigner && isReadonly(one)).length,
    ),
    Uint8Array.from(encodeLength(accounts.length)),
    ...accounts.map(({ address }) => toKeyBytes(address)),
    toKeyBytes(recentBlockhash),
    Uint8Array.from(encodeLength(instructions.length)),
    ...instructions.flatMap(({ program, accounts: used, data }) => [
      Uint8Array.of(placeOf(program)),
      Uint8Array.from(encodeLength(used.length)),
      Uint8Array.from(used, ({ address }) => placeOf(address)),
      Uint8Array.from(encodeLength(data.length)),
      data,
    ]),
  ]);
  const keys = new Map([payer, ...signers].map((one) => [one.address, one.key]));
  const signatures = signing.map(({ address }) => {
    const key = keys.get(address);
    if (key === undefined) throw new Error(`no key signs for ${address}`);
    return sign(null, message, key);
  });
  return Buffer.concat([Uint8Array.from(encodeLength(signatures.length)), ...signatures, message]);
}
