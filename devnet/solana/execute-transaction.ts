// Executes a transaction and records it as `getBlock` and `getTransaction` show it.

import { decodeBase58Data, encodeBase58Data } from '../../src/chains/solana/data/base58-data.ts';
import type { ChainAccount, Execution, Svm } from './svm.ts';
import { readTokenBalance } from './token-balance.ts';
import type { WireTransaction } from './wire-transaction.ts';

const DECIMALS_OFFSET = 44;
const TABLE_HEADER_BYTES = 56;
const KEY_BYTES = 32;

interface LoadedAddresses {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

function readTable(svm: Svm, table: string): string[] {
  const data = svm.read(table)?.data.subarray(TABLE_HEADER_BYTES) ?? Buffer.alloc(0);
  return Array.from({ length: Math.floor(data.length / KEY_BYTES) }, (_, index) =>
    encodeBase58Data(data.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES)),
  );
}

function loadAddresses(svm: Svm, { lookups }: WireTransaction): LoadedAddresses {
  const [writable, readonly]: [string[], string[]] = [[], []];
  for (const { accountKey, writableIndexes, readonlyIndexes } of lookups) {
    const addresses = readTable(svm, accountKey);
    const pick = (indexes: readonly number[]) => indexes.flatMap((index) => addresses[index] ?? []);
    writable.push(...pick(writableIndexes));
    readonly.push(...pick(readonlyIndexes));
  }
  return { writable, readonly };
}

type Snapshot = readonly (ChainAccount | null)[];

function isSame(a: ChainAccount | null, b: ChainAccount | null): boolean {
  if (a === null || b === null) return a === b;
  return a.lamports === b.lamports && a.owner === b.owner && a.data.equals(b.data);
}

/** What a transaction changed. */
export interface AccountChange {
  readonly before: ChainAccount | null;
  readonly after: ChainAccount | null;
}

export interface ExecutedTransaction {
  readonly signature: string;
  readonly err: unknown;
  /** Static ones, then those from tables. */
  readonly accountKeys: readonly string[];
  readonly changes: ReadonlyMap<string, AccountChange>;
  /** As nodes send it, without the slot. */
  readonly json: object;
}

function listTokenRows(svm: Svm, snapshot: Snapshot) {
  return snapshot.flatMap((account, accountIndex) => {
    const balance = account === null ? null : readTokenBalance(account);
    if (account === null || balance === null) return [];
    const { mint, owner, amount } = balance;
    const decimals = svm.read(mint)?.data[DECIMALS_OFFSET] ?? 0;
    const uiTokenAmount = { amount: String(amount), decimals };
    return [{ accountIndex, mint, owner, programId: account.owner, uiTokenAmount }];
  });
}

function buildMeta(
  svm: Svm,
  execution: Execution,
  parts: { before: Snapshot; after: Snapshot; loaded: LoadedAddresses; fee: number },
) {
  const { err, inner, logs, unitsConsumed, returnData } = execution;
  const { before, after, loaded, fee } = parts;
  const listLamports = (snapshot: Snapshot) =>
    snapshot.map((account) => Number(account?.lamports ?? 0n));
  return {
    ...{ err, status: err === null ? { Ok: null } : { Err: err }, fee },
    ...{ preBalances: listLamports(before), postBalances: listLamports(after) },
    preTokenBalances: listTokenRows(svm, before),
    postTokenBalances: listTokenRows(svm, after),
    innerInstructions: inner.flatMap((instructions, index) =>
      instructions.length === 0 ? [] : [{ index, instructions }],
    ),
    ...{ logMessages: logs, loadedAddresses: loaded, rewards: [] },
    ...{ computeUnitsConsumed: unitsConsumed, ...(returnData === null ? {} : { returnData }) },
  };
}

/** Computes what its base fee and its priority come to, in lamports. */
const BASE_FEE = 5000;
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const [SET_LIMIT, SET_PRICE] = [2, 3];
const UNITS_PER_INSTRUCTION = 200_000;
const MICRO = 1_000_000n;

export function computeFee(wire: WireTransaction): number {
  let [limit, price, others] = [null as number | null, 0n, 0];
  for (const { programIdIndex, data } of wire.instructions) {
    if (wire.accountKeys[programIdIndex] !== COMPUTE_BUDGET) {
      others += 1;
      continue;
    }
    const bytes = decodeBase58Data(data) ?? Buffer.alloc(0);
    if (bytes[0] === SET_LIMIT && bytes.length >= 5) limit = bytes.readUInt32LE(1);
    if (bytes[0] === SET_PRICE && bytes.length >= 9) price = bytes.readBigUInt64LE(1);
  }
  const units = BigInt(limit ?? others * UNITS_PER_INSTRUCTION);
  const priority = (units * price + MICRO - 1n) / MICRO;
  return BASE_FEE * wire.header.numRequiredSignatures + Number(priority);
}

function buildMessage(wire: WireTransaction) {
  const { header, accountKeys, recentBlockhash, lookups, version } = wire;
  const instructions = wire.instructions.map((one) => ({ ...one, stackHeight: 1 }));
  const tables = version === 0 ? { addressTableLookups: lookups } : {};
  return { header, accountKeys, recentBlockhash, instructions, ...tables };
}

/** Null if it did not run and pays nothing, for example because a signature is wrong. */
export function executeTransaction(
  svm: Svm,
  wire: WireTransaction,
  bytes: Buffer,
): ExecutedTransaction | null {
  const loaded = loadAddresses(svm, wire);
  const accountKeys = [...wire.accountKeys, ...loaded.writable, ...loaded.readonly];
  const before = accountKeys.map((address) => svm.read(address));
  const execution = svm.execute(bytes);
  const after = accountKeys.map((address) => svm.read(address));
  const fee = computeFee(wire);
  if (execution.err !== null && before[0]?.lamports === after[0]?.lamports) return null;
  const changes = new Map<string, AccountChange>();
  accountKeys.forEach((address, index) => {
    const [first = null, second = null] = [before[index], after[index]];
    if (!isSame(first, second)) changes.set(address, { before: first, after: second });
  });
  return {
    ...{ signature: wire.signatures[0] ?? '', err: execution.err, accountKeys, changes },
    json: {
      transaction: { signatures: wire.signatures, message: buildMessage(wire) },
      meta: buildMeta(svm, execution, { before, after, loaded, fee }),
      version: wire.version,
    },
  };
}
