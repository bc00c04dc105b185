// Mints that deduct a fee from transfers, and accounts of them, byte by byte.

import type { TransferFee } from '../../src/amm/transfer-fee.ts';
import { keyBytes, u64 } from './instructions.ts';

const PLAIN_MINT_BYTES = 82;
const TYPE_OFFSET = 165;
const [MINT, ACCOUNT] = [1, 2];

export function buildExtension(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

/** The mint with a fee that holds since the first epoch. */
export function addFee(mint: Buffer, { bps, maxRaw }: TransferFee): Buffer {
  const fee = Buffer.alloc(108);
  for (const at of [72, 90]) {
    fee.writeBigUInt64LE(maxRaw, at + 8);
    fee.writeUInt16LE(bps, at + 16);
  }
  const head = Buffer.alloc(TYPE_OFFSET + 1);
  mint.copy(head, 0, 0, PLAIN_MINT_BYTES);
  head.writeUInt8(MINT, TYPE_OFFSET);
  return Buffer.concat([head, buildExtension(1, fee)]);
}

/** An account of a mint with a fee has a place for what it withholds. */
export function addWithheld(account: Buffer): Buffer {
  const head = Buffer.alloc(TYPE_OFFSET + 1);
  account.copy(head, 0, 0, TYPE_OFFSET);
  head.writeUInt8(ACCOUNT, TYPE_OFFSET);
  return Buffer.concat([head, buildExtension(2, Buffer.alloc(8))]);
}

/** With a large supply and six decimals; plain without a fee. */
export function buildLeviedMint(fee: TransferFee | null): Buffer {
  const mint = Buffer.alloc(PLAIN_MINT_BYTES);
  mint.set(u64(10n ** 18n), 36);
  mint.set([6, 1], 44);
  return fee === null ? mint : addFee(mint, fee);
}

export function buildTokenAccount(of: {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly isLevied: boolean;
}): Buffer {
  const data = Buffer.alloc(TYPE_OFFSET);
  data.set(keyBytes(of.mint), 0);
  data.set(keyBytes(of.owner), 32);
  data.set(u64(of.amount), 64);
  data.writeUInt8(1, 108);
  return of.isLevied ? addWithheld(data) : data;
}
