// Recorded Solana data. Transactions that were recorded as `jsonParsed`, or with addresses in place
// of indexes, are brought into the shape that the service asks for (`json`).

import { existsSync, readFileSync } from 'node:fs';
import type { RawInstruction, RawTransaction } from '../src/chains/solana/data/raw-transaction.ts';
import { encodeBase58 } from '../src/lib/base58.ts';

export const SOLANA_FIXTURES = new URL('../../shared/fixtures/solana/', import.meta.url);

/** For a test's `skip`: false, or what is missing. */
export const skipWithoutSolana = existsSync(SOLANA_FIXTURES) ? false : 'fixtures/solana is absent';

export function readSolanaFixture(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, SOLANA_FIXTURES), 'utf8'));
}

interface ParsedInfo {
  readonly source?: string;
  readonly destination?: string;
  readonly mint?: string;
  readonly authority?: string;
  readonly amount?: string;
  readonly tokenAmount?: { readonly amount: string; readonly decimals: number };
}

interface AddressedInstruction {
  readonly programId: string;
  readonly accounts?: readonly string[];
  readonly data?: string;
  readonly stackHeight: number | null;
  readonly parsed?: { readonly type: string; readonly info: ParsedInfo };
}

/** A transfer as the token program reads it; nothing for other instructions that were parsed. */
function encodeParsed({ parsed }: AddressedInstruction): { accounts: string[]; data: Buffer } {
  const { type = '', info = {} } = parsed ?? {};
  const { source = '', destination = '', mint = '', authority = source } = info;
  if (type === 'transfer' && info.amount !== undefined) {
    const data = Buffer.alloc(9);
    data.writeUInt8(3);
    data.writeBigUInt64LE(BigInt(info.amount), 1);
    return { accounts: [source, destination, authority], data };
  }
  if (type === 'transferChecked' && info.tokenAmount !== undefined) {
    const data = Buffer.alloc(10);
    data.writeUInt8(12);
    data.writeBigUInt64LE(BigInt(info.tokenAmount.amount), 1);
    data.writeUInt8(info.tokenAmount.decimals, 9);
    return { accounts: [source, mint, destination, authority], data };
  }
  return { accounts: [], data: Buffer.from([255]) };
}

export interface AddressedTransaction extends Omit<RawTransaction, 'transaction' | 'meta'> {
  readonly transaction: {
    readonly signatures: readonly string[];
    readonly message: {
      readonly accountKeys: readonly { readonly pubkey: string }[];
      readonly instructions: readonly AddressedInstruction[];
    };
  };
  readonly meta: Omit<NonNullable<RawTransaction['meta']>, 'innerInstructions'> & {
    readonly innerInstructions?: readonly {
      readonly index: number;
      readonly instructions: readonly AddressedInstruction[];
    }[];
  };
}

function toJsonEncoding(addressed: AddressedTransaction): RawTransaction {
  const { transaction, meta } = addressed;
  const keys = transaction.message.accountKeys.map(({ pubkey }) => pubkey);
  const indexOf = (key: string) => {
    const known = keys.indexOf(key);
    return known >= 0 ? known : keys.push(key) - 1;
  };
  const toIndexed = (instruction: AddressedInstruction): RawInstruction => {
    const { accounts = [], data } =
      instruction.data === undefined
        ? encodeParsed(instruction)
        : { accounts: instruction.accounts, data: instruction.data };
    return {
      programIdIndex: indexOf(instruction.programId),
      accounts: accounts.map(indexOf),
      data: typeof data === 'string' ? data : encodeBase58(data),
      stackHeight: instruction.stackHeight,
    };
  };
  const instructions = transaction.message.instructions.map(toIndexed);
  const innerInstructions = (meta.innerInstructions ?? []).map((each) => ({
    index: each.index,
    instructions: each.instructions.map(toIndexed),
  }));
  return {
    transaction: {
      signatures: transaction.signatures,
      message: { accountKeys: keys, instructions },
    },
    // The recorded keys already have the loaded ones.
    meta: { ...meta, innerInstructions, loadedAddresses: null },
  };
}

interface NormalisedBalance {
  readonly account: string;
  readonly mint: string;
  readonly owner: string;
  readonly amountRaw: string;
}

/** Only the venue's call and the balances of the vaults were recorded. */
interface NormalisedExtract {
  readonly transaction: {
    readonly signature: string;
    readonly instructions: readonly {
      readonly programId: string;
      readonly accounts: readonly string[];
      readonly dataHex: string;
      readonly instructionIndex: number;
      readonly innerInstructionIndex: number;
      readonly stackHeight: number;
    }[];
    readonly preTokenBalances: readonly NormalisedBalance[];
    readonly postTokenBalances: readonly NormalisedBalance[];
  };
}

/** The calls around the recorded one are filled with calls of the system program. */
function fillExtract({ transaction }: NormalisedExtract): RawTransaction {
  const [call] = transaction.instructions;
  if (call === undefined) throw new Error('the extract has no call');
  const balances = [...transaction.preTokenBalances, ...transaction.postTokenBalances];
  const keys = [
    ...new Set(['1'.repeat(32), call.programId, ...call.accounts]),
    ...balances.map(({ account }) => account),
  ];
  const indexOf = (key: string) => keys.indexOf(key);
  const toRow = ({ account, mint, owner, amountRaw }: NormalisedBalance) => ({
    ...{ accountIndex: indexOf(account), mint, owner, uiTokenAmount: { amount: amountRaw } },
  });
  const filler = { programIdIndex: 0, accounts: [], data: '1', stackHeight: 1 };
  const own: RawInstruction = {
    programIdIndex: indexOf(call.programId),
    accounts: call.accounts.map(indexOf),
    data: encodeBase58(Buffer.from(call.dataHex, 'hex')),
    stackHeight: call.stackHeight,
  };
  const fill = (length: number, stackHeight: number) =>
    Array.from({ length }, () => ({ ...filler, stackHeight }));
  const inner = [...fill(call.innerInstructionIndex, call.stackHeight), own];
  const instructions = fill(call.instructionIndex + 1, 1);
  return {
    transaction: {
      signatures: [transaction.signature],
      message: { accountKeys: keys, instructions },
    },
    meta: {
      err: null,
      innerInstructions: [{ index: call.instructionIndex, instructions: inner }],
      preTokenBalances: transaction.preTokenBalances.map(toRow),
      postTokenBalances: transaction.postTokenBalances.map(toRow),
    },
  };
}

export function toRawTransaction(recorded: RawTransaction | AddressedTransaction): RawTransaction {
  const [key] = recorded.transaction.message.accountKeys;
  if (typeof key === 'string') return recorded as RawTransaction;
  return toJsonEncoding(recorded as AddressedTransaction);
}

/** A recorded transaction in the encoding `json`. */
export function readSolanaTransaction(path: string): RawTransaction {
  if (path.startsWith('normalised/')) {
    return fillExtract(readSolanaFixture(path) as NormalisedExtract);
  }
  return toRawTransaction(readSolanaFixture(path) as RawTransaction | AddressedTransaction);
}
