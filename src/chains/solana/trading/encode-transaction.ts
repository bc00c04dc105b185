// Unsigned v0 transactions, as wallets take them: signatures of zeros, then the message.
//
// Accounts of all instructions are listed once: those that sign first, and among each part those
// that are written to. The payer is the first of all. Accounts of lookup tables follow, those that
// are written to first.

import { decodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import type { InstructionAccount, ProgramInstruction } from '../data/program-instruction.ts';
import type { LookupTable } from './lookup-tables.ts';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** The version's number after the bit that tells it from a message without one. */
const VERSION_0 = 0x80;
const ACCOUNTS_MAX = 256;
/** The most that fits into a packet. */
export const TRANSACTION_BYTES_MAX = 1232;

interface EncodingPlan {
  readonly payer: Address;
  readonly instructions: readonly ProgramInstruction[];
  readonly blockhash: string;
  /** Used where they make the transaction shorter. */
  readonly tables?: readonly LookupTable[];
}

/** The accounts of a transaction that come from one table, in the order of their indexes. */
interface TableUse {
  readonly table: Address;
  readonly writable: readonly Address[];
  readonly readonly: readonly Address[];
  readonly places: LookupTable['places'];
}

interface EncodedTransaction {
  readonly bytes: Buffer;
  /** In the order of their signatures. */
  readonly signers: readonly Address[];
  /** The accounts that it locks for writing. */
  readonly writable: readonly Address[];
}

/** Seven bits a byte, the lowest first. */
function encodeLength(length: number): number[] {
  const bytes: number[] = [];
  let rest = length;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  return [...bytes, rest];
}

function toKeyBytes(text: string): Uint8Array {
  const bytes = decodeBase58(text);
  if (bytes?.length !== KEY_BYTES) throw new Error(`${text} is not a key`);
  return bytes;
}

/** Each account once, with all that any instruction does with it. */
function mergeUses({ payer, instructions }: EncodingPlan): InstructionAccount[] {
  const uses = new Map<Address, InstructionAccount>();
  const add = (use: InstructionAccount) => {
    const known = uses.get(use.address);
    uses.set(use.address, {
      address: use.address,
      isSigner: use.isSigner || (known?.isSigner ?? false),
      isWritable: use.isWritable || (known?.isWritable ?? false),
    });
  };
  add({ address: payer, isSigner: true, isWritable: true });
  for (const { program, accounts } of instructions) {
    for (const use of accounts) add(use);
    add({ address: program, isSigner: false, isWritable: false });
  }
  const rank = ({ isSigner, isWritable }: InstructionAccount) =>
    (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
  // Sorting is stable, so the payer stays the first.
  return [...uses.values()].sort((a, b) => rank(a) - rank(b));
}

/** Below this, naming the table takes more bytes than it saves. */
const TABLE_USES_MIN = 2;

/** Signers and programs must be in the message itself. */
function pickFromTables(
  uses: readonly InstructionAccount[],
  { instructions, tables = [] }: EncodingPlan,
): TableUse[] {
  const programs = new Set(instructions.map(({ program }) => program));
  let left = uses.filter(({ address, isSigner }) => !isSigner && !programs.has(address));
  return tables.flatMap(({ table, places }) => {
    const found = left.filter(({ address }) => places.has(address));
    if (found.length < TABLE_USES_MIN) return [];
    left = left.filter(({ address }) => !places.has(address));
    const pick = (isWritable: boolean) =>
      found.filter((use) => use.isWritable === isWritable).map(({ address }) => address);
    return [{ table, places, writable: pick(true), readonly: pick(false) }];
  });
}

function encodeTableUse({ table, places, writable, readonly }: TableUse): Buffer {
  const encodePlaces = (addresses: readonly Address[]) => [
    ...encodeLength(addresses.length),
    ...addresses.map((address) => places.get(address) ?? 0),
  ];
  const indexes = [...encodePlaces(writable), ...encodePlaces(readonly)];
  return Buffer.concat([toKeyBytes(table), Buffer.from(indexes)]);
}

export function encodeTransaction(plan: EncodingPlan): EncodedTransaction {
  const all = mergeUses(plan);
  if (all.length > ACCOUNTS_MAX) throw new RangeError(`${all.length} accounts are too many`);
  const fromTables = pickFromTables(all, plan);
  const loaded = [
    ...fromTables.flatMap(({ writable }) => writable),
    ...fromTables.flatMap(({ readonly }) => readonly),
  ];
  const isLoaded = new Set(loaded);
  const uses = all.filter(({ address }) => !isLoaded.has(address));
  const order = [...uses.map(({ address }) => address), ...loaded];
  const places = new Map(order.map((address, index) => [address, index]));
  const placeOf = (address: Address) => places.get(address) ?? 0;
  const signers = uses.filter(({ isSigner }) => isSigner);
  const countReadonly = (isSigner: boolean) =>
    uses.filter((use) => use.isSigner === isSigner && !use.isWritable).length;
  const header = [signers.length, countReadonly(true), countReadonly(false)];
  const calls = plan.instructions.map(({ program, accounts, data }) => {
    const indexes = accounts.map(({ address }) => placeOf(address));
    return Buffer.from([
      ...[placeOf(program), ...encodeLength(indexes.length), ...indexes],
      ...[...encodeLength(data.length), ...data],
    ]);
  });
  const bytes = Buffer.concat([
    Buffer.from(encodeLength(signers.length)),
    Buffer.alloc(SIGNATURE_BYTES * signers.length),
    Buffer.from([VERSION_0, ...header, ...encodeLength(uses.length)]),
    ...uses.map(({ address }) => toKeyBytes(address)),
    toKeyBytes(plan.blockhash),
    Buffer.from(encodeLength(calls.length)),
    ...calls,
    Buffer.from(encodeLength(fromTables.length)),
    ...fromTables.map(encodeTableUse),
  ]);
  return {
    bytes,
    signers: signers.map(({ address }) => address),
    writable: all.filter(({ isWritable }) => isWritable).map(({ address }) => address),
  };
}
