// A block as SQD's Portal sends it, brought into the form of `getBlock`, so that the same decoders
// read it. (Facts from subsquid/squid-sdk, solana-normalization, and subsquid/data, crates/query.)
//
// The Portal keeps the parts of transactions apart, names accounts by their keys, and has lamports
// only of accounts that changed. It splits log lines off from what they say of calls. Where its
// parser failed, or the log was cut, the transaction has no lines at all and says so: such a
// transaction is read from a node.

import type { RawInstruction, RawTokenBalance, RawTransaction } from '../data/raw-transaction.ts';
import type { SlotHeader, SolanaBlockTransaction } from '../rpc/parse-solana-block.ts';

/** The fields of a request, which are those that `parsePortalBlock` reads. */
export const PORTAL_FIELDS = {
  block: { number: true, hash: true, parentNumber: true, parentHash: true, timestamp: true },
  transaction: {
    ...{ transactionIndex: true, version: true, accountKeys: true, loadedAddresses: true },
    ...{ numRequiredSignatures: true, signatures: true, err: true, fee: true },
    hasDroppedLogMessages: true,
  },
  instruction: {
    ...{ transactionIndex: true, instructionAddress: true },
    ...{ programId: true, accounts: true, data: true },
  },
  log: {
    ...{ transactionIndex: true, logIndex: true, instructionAddress: true },
    ...{ programId: true, kind: true, message: true },
  },
  balance: { transactionIndex: true, account: true, pre: true, post: true },
  tokenBalance: {
    ...{ transactionIndex: true, account: true },
    ...{ preMint: true, preDecimals: true, preOwner: true, preAmount: true, preProgramId: true },
    ...{ postMint: true, postDecimals: true, postOwner: true, postAmount: true },
    postProgramId: true,
  },
} as const;

export interface PortalBlock {
  readonly header: SlotHeader;
  /** Without votes, which the Portal leaves out; their places are counted. */
  readonly transactions: readonly PortalTransaction[];
}

interface PortalTransaction extends SolanaBlockTransaction {
  /** Whether its log is missing: events may be in it. */
  readonly hasLostLog: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** A line that is not a block. */
export class PortalBlockError extends Error {
  override readonly name = 'PortalBlockError';
}

function fail(problem: string): never {
  throw new PortalBlockError(problem);
}

function toFields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  return fail(`${what} is no object`);
}

function readText(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : fail(`${name} is no text`);
}

function readCount(fields: Fields, name: string): number {
  const value = fields[name];
  return Number.isSafeInteger(value) && Number(value) >= 0
    ? Number(value)
    : fail(`${name} is no count`);
}

/** Amounts are decimal text; older versions had numbers. */
function readAmount(fields: Fields, name: string): string {
  const value = fields[name];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,39}$/.test(text) ? text : fail(`${name} is no amount`);
}

function readTexts(value: unknown, what: string): string[] {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList ? value : fail(`${what} is no list`);
}

/** Empty lists are left out of a line. */
function readRows(block: Fields, name: string): Fields[] {
  const rows = block[name] ?? [];
  if (!Array.isArray(rows)) return fail(`${name} is no list`);
  return rows.map((row) => toFields(row, `one of ${name}`));
}

function readAddress(row: Fields): number[] {
  const path = row['instructionAddress'];
  const isPath =
    Array.isArray(path) &&
    path.length > 0 &&
    path.every((step) => Number.isSafeInteger(step) && step >= 0);
  return isPath ? (path as number[]) : fail('instructionAddress is no list of places');
}

/** Depth first, as calls were executed. */
function compareAddresses(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function parseHeader(value: unknown): SlotHeader {
  const header = toFields(value, 'header');
  const position = readCount(header, 'number');
  const parent = readCount(header, 'parentNumber');
  // The first block is its own parent.
  const isFirst = position === 0 && parent === 0;
  if (parent >= position && !isFirst) return fail('its parent is not an earlier slot');
  const seconds = header['timestamp'] ?? 0;
  return {
    ...{ position, hash: readText(header, 'hash') },
    ...{ parentPosition: isFirst ? -1 : parent, parentHash: readText(header, 'parentHash') },
    // The Portal has 0 where the time is not known.
    timestampMs: Number.isSafeInteger(seconds) && seconds !== 0 ? Number(seconds) * 1000 : null,
  };
}

/** The rows of one transaction. */
interface Parts {
  readonly instructions: Fields[];
  readonly logs: Fields[];
  readonly balances: Fields[];
  readonly tokenBalances: Fields[];
}

function groupParts(block: Fields): Map<number, Parts> {
  const groups = new Map<number, Parts>();
  for (const name of ['instructions', 'logs', 'balances', 'tokenBalances'] as const) {
    for (const row of readRows(block, name)) {
      const index = readCount(row, 'transactionIndex');
      const parts = groups.get(index) ?? {
        ...{ instructions: [], logs: [], balances: [], tokenBalances: [] },
      };
      parts[name].push(row);
      groups.set(index, parts);
    }
  }
  return groups;
}

class AccountKeys {
  readonly #indexes: ReadonlyMap<string, number>;

  constructor(keys: readonly string[]) {
    this.#indexes = new Map(keys.map((key, index) => [key, index]));
  }

  get count(): number {
    return this.#indexes.size;
  }

  indexOf(key: string): number {
    return this.#indexes.get(key) ?? fail(`${key} is no account of its transaction`);
  }
}

interface Call {
  readonly path: readonly number[];
  readonly program: string;
  readonly raw: RawInstruction;
}

function readCalls(rows: readonly Fields[], keys: AccountKeys): Call[] {
  const calls = rows.map((row) => {
    const path = readAddress(row);
    const program = readText(row, 'programId');
    const raw = {
      programIdIndex: keys.indexOf(program),
      accounts: readTexts(row['accounts'], 'accounts').map((key) => keys.indexOf(key)),
      data: readText(row, 'data'),
      stackHeight: path.length,
    };
    return { path, program, raw };
  });
  calls.sort((a, b) => compareAddresses(a.path, b.path));
  // Each call follows its caller, and no one before it is missing.
  let last: readonly number[] = [];
  for (const { path } of calls) {
    const shared = path.length - 1;
    const isFirst = path.length > last.length;
    const expected = isFirst ? 0 : (last[shared] ?? -1) + 1;
    const isChild = path.length <= last.length + 1;
    const isUnder = path.slice(0, shared).every((step, at) => step === last[at]);
    if (!isChild || !isUnder || path[shared] !== expected) fail('instructions are missing');
    last = path;
  }
  return calls;
}

const LINE_STARTS: Readonly<Record<string, string>> = {
  log: 'Program log: ',
  data: 'Program data: ',
};

/** With the lines that say which program was entered and left: decoders count them. */
function buildLog(calls: readonly Call[], rows: readonly Fields[]): string[] {
  const byCall = new Map<string, Fields[]>();
  for (const row of rows) {
    const call = readAddress(row).join(' ');
    const list = byCall.get(call);
    if (list === undefined) byCall.set(call, [row]);
    else list.push(row);
  }
  const lines: string[] = [];
  const open: Call[] = [];
  const closeTo = (height: number) => {
    for (let call = open.at(-1); call !== undefined && call.path.length >= height; ) {
      lines.push(`Program ${call.program} success`);
      open.pop();
      call = open.at(-1);
    }
  };
  for (const call of calls) {
    closeTo(call.path.length);
    open.push(call);
    lines.push(`Program ${call.program} invoke [${call.path.length}]`);
    const own = byCall.get(call.path.join(' ')) ?? [];
    own.sort((a, b) => readCount(a, 'logIndex') - readCount(b, 'logIndex'));
    for (const row of own) {
      lines.push(`${LINE_STARTS[readText(row, 'kind')] ?? ''}${readText(row, 'message')}`);
    }
  }
  closeTo(0);
  return lines;
}

function buildTokenBalances(
  rows: readonly Fields[],
  side: 'pre' | 'post',
  keys: AccountKeys,
): RawTokenBalance[] {
  const balances = rows.flatMap((row): RawTokenBalance[] => {
    if (row[`${side}Mint`] == null) return [];
    return [
      {
        accountIndex: keys.indexOf(readText(row, 'account')),
        mint: readText(row, `${side}Mint`),
        // Blocks of before 2022 do not tell them.
        ...(row[`${side}Owner`] == null ? {} : { owner: readText(row, `${side}Owner`) }),
        ...(row[`${side}ProgramId`] == null
          ? {}
          : { programId: readText(row, `${side}ProgramId`) }),
        uiTokenAmount: {
          amount: readAmount(row, `${side}Amount`),
          decimals: readCount(row, `${side}Decimals`),
        },
      },
    ];
  });
  return balances.sort((a, b) => a.accountIndex - b.accountIndex);
}

/** Of an account that did not change, both are 0: only differences are read. */
function buildLamports(rows: readonly Fields[], side: 'pre' | 'post', keys: AccountKeys): number[] {
  const lamports = new Array<number>(keys.count).fill(0);
  for (const row of rows) {
    lamports[keys.indexOf(readText(row, 'account'))] = Number(readAmount(row, side));
  }
  return lamports;
}

const NO_PARTS: Parts = { instructions: [], logs: [], balances: [], tokenBalances: [] };

function buildTransaction(row: Fields, parts: Parts): PortalTransaction {
  const accountKeys = readTexts(row['accountKeys'], 'accountKeys');
  const loaded = toFields(row['loadedAddresses'] ?? {}, 'loadedAddresses');
  const loadedAddresses = {
    writable: readTexts(loaded['writable'] ?? [], 'writable'),
    readonly: readTexts(loaded['readonly'] ?? [], 'readonly'),
  };
  const all = [...accountKeys, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  const keys = new AccountKeys(all);
  const calls = readCalls(parts.instructions, keys);
  const inner = new Map<number, RawInstruction[]>();
  for (const { path, raw } of calls) {
    if (path.length === 1) continue;
    const index = path[0] ?? 0;
    inner.set(index, [...(inner.get(index) ?? []), raw]);
  }
  const hasLostLog = row['hasDroppedLogMessages'] === true;
  const { balances, tokenBalances } = parts;
  const raw: RawTransaction & { readonly version: unknown } = {
    version: row['version'] ?? 'legacy',
    transaction: {
      signatures: readTexts(row['signatures'], 'signatures'),
      message: {
        accountKeys,
        header: { numRequiredSignatures: readCount(row, 'numRequiredSignatures') },
        instructions: calls.filter(({ path }) => path.length === 1).map((call) => call.raw),
      },
    },
    meta: {
      err: row['err'] ?? null,
      fee: Number(readAmount(row, 'fee')),
      innerInstructions: Array.from(inner, ([index, instructions]) => ({ index, instructions })),
      logMessages: hasLostLog ? null : buildLog(calls, parts.logs),
      loadedAddresses,
      preBalances: buildLamports(balances, 'pre', keys),
      postBalances: buildLamports(balances, 'post', keys),
      preTokenBalances: buildTokenBalances(tokenBalances, 'pre', keys),
      postTokenBalances: buildTokenBalances(tokenBalances, 'post', keys),
    },
  };
  return { index: readCount(row, 'transactionIndex'), raw, hasLostLog };
}

/** Throws a `PortalBlockError` if the line contradicts itself. */
export function parsePortalBlock(line: unknown): PortalBlock {
  const block = toFields(line, 'the line');
  const parts = groupParts(block);
  const transactions = readRows(block, 'transactions').map((row) => {
    const index = readCount(row, 'transactionIndex');
    const own = parts.get(index) ?? NO_PARTS;
    parts.delete(index);
    return buildTransaction(row, own);
  });
  const [orphan] = parts.keys();
  if (orphan !== undefined) fail(`transaction ${orphan} is missing`);
  transactions.sort((a, b) => a.index - b.index);
  const isRepeated = transactions.some(({ index }, at) => transactions[at - 1]?.index === index);
  if (isRepeated) fail('a transaction is there twice');
  return { header: parseHeader(block['header']), transactions };
}
