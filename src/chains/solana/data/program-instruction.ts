// An instruction of a transaction that is built: which program, with which accounts and data.

import type { Address } from '../../../model/ids.ts';

export interface InstructionAccount {
  readonly address: Address;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
}

export interface ProgramInstruction {
  readonly program: Address;
  readonly accounts: readonly InstructionAccount[];
  readonly data: Uint8Array;
}

export function asReadonly(address: Address): InstructionAccount {
  return { address, isSigner: false, isWritable: false };
}

export function asWritable(address: Address): InstructionAccount {
  return { address, isSigner: false, isWritable: true };
}

/** The wallet: it signs, and pays. */
export function asSigner(address: Address): InstructionAccount {
  return { address, isSigner: true, isWritable: true };
}

const WORD_BYTES = 8;

export function encodeU64(...values: readonly bigint[]): Buffer {
  const data = Buffer.alloc(values.length * WORD_BYTES);
  for (const [index, value] of values.entries()) data.writeBigUInt64LE(value, index * WORD_BYTES);
  return data;
}

/** The discriminator in hex, then the arguments. */
export function encodeCall(discriminator: string, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from(discriminator, 'hex'), ...parts]);
}
