// A block of `getBlock` as SQD's Portal sends it: what the SDK's normalisation makes of it
// (subsquid/squid-sdk, solana-normalization/src/mapping.ts and instruction-parser.ts, as facts).

import {
  isVote,
  listAccountKeys,
  type RawTokenBalance,
  type RawTransaction,
} from '../../src/chains/solana/data/raw-transaction.ts';

export interface RpcBlock {
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly blockTime: number | null;
  readonly transactions: readonly RawTransaction[];
}

type Row = Record<string, unknown>;

export interface PortalLine {
  header: Row;
  transactions?: Row[];
  instructions?: Row[];
  logs?: Row[];
  balances?: Row[];
  tokenBalances?: Row[];
}

interface Place {
  readonly instructionAddress: readonly number[];
  readonly programId: string;
}

/** In the order of execution. */
function listInstructions(raw: RawTransaction, keys: readonly string[]): (Place & Row)[] {
  return raw.transaction.message.instructions.flatMap((outer, index) => {
    const inner = (raw.meta?.innerInstructions ?? []).filter((group) => group.index === index);
    let path: number[] = [];
    const all = [outer, ...inner.flatMap(({ instructions }) => instructions)];
    return all.map((one, at) => {
      const height = at === 0 ? 1 : (one.stackHeight ?? 2);
      const last = height === 1 ? index : (path[height - 1] ?? -1) + 1;
      path = [...path.slice(0, height - 1), last];
      const accounts = one.accounts.map((key) => keys[key]);
      const programId = keys[one.programIdIndex] ?? '';
      return { instructionAddress: path, programId, accounts, data: one.data };
    });
  });
}

/** Null if the lines do not fit the calls, or were cut: the Portal then has none. */
function listLogs(raw: RawTransaction, calls: readonly Place[]): Row[] | null {
  const lines = raw.meta?.logMessages;
  if (lines == null) return null;
  const open: Place[] = [];
  const rows: Row[] = [];
  let next = 0;
  for (const line of lines) {
    if (line === 'Log truncated') return null;
    const entered = /^Program (\w+) invoke \[\d+\]$/.exec(line)?.[1];
    if (entered !== undefined) {
      // Precompiles and some built-in programs write no lines.
      while (next < calls.length && calls[next]?.programId !== entered) next += 1;
      const call = calls[next];
      if (call === undefined) return null;
      open.push(call);
      next += 1;
      continue;
    }
    const place = open.at(-1);
    if (/^Program \w+ (?:success|failed)/.test(line)) {
      open.pop();
      continue;
    }
    if (/^Program \w+ consumed /.test(line)) continue;
    if (place === undefined) return null;
    const [, start = '', text = line] = /^(Program log: |Program data: )?(.*)$/s.exec(line) ?? [];
    const kind = start === 'Program data: ' ? 'data' : start === '' ? 'other' : 'log';
    rows.push({ logIndex: rows.length, ...place, kind, message: text });
  }
  return rows.map(({ logIndex, instructionAddress, programId, kind, message }) => ({
    ...{ logIndex, instructionAddress, programId, kind, message },
  }));
}

function describeSide(row: RawTokenBalance | undefined, side: 'pre' | 'post'): Row {
  if (row === undefined) return {};
  const { mint, owner, programId, uiTokenAmount } = row;
  return {
    ...{ [`${side}Mint`]: mint, [`${side}Decimals`]: uiTokenAmount.decimals ?? 0 },
    [`${side}Amount`]: uiTokenAmount.amount,
    ...(owner == null ? {} : { [`${side}Owner`]: owner }),
    ...(programId == null ? {} : { [`${side}ProgramId`]: programId }),
  };
}

function compareAccounts(a: Row, b: Row): number {
  return String(a['account']) < String(b['account']) ? -1 : 1;
}

function listTokenBalances({ meta }: RawTransaction, keys: readonly string[]): Row[] {
  const [pre, post] = [meta?.preTokenBalances ?? [], meta?.postTokenBalances ?? []];
  const accounts = new Set([...pre, ...post].map(({ accountIndex }) => accountIndex));
  return Array.from(accounts, (index) => ({
    account: keys[index],
    ...describeSide(
      pre.find(({ accountIndex }) => accountIndex === index),
      'pre',
    ),
    ...describeSide(
      post.find(({ accountIndex }) => accountIndex === index),
      'post',
    ),
  })).sort(compareAccounts);
}

function listBalances({ meta }: RawTransaction, keys: readonly string[]): Row[] {
  const [pre, post] = [meta?.preBalances ?? [], meta?.postBalances ?? []];
  return pre
    .flatMap((before, index): Row[] => {
      const after = post[index] ?? before;
      if (before === after) return [];
      return [{ account: keys[index], pre: String(before), post: String(after) }];
    })
    .sort(compareAccounts);
}

function addTransaction(line: PortalLine, raw: RawTransaction, transactionIndex: number): void {
  const { transaction, meta } = raw;
  const keys = listAccountKeys(raw);
  const instructions = listInstructions(raw, keys);
  const logs = listLogs(raw, instructions);
  const rows: Required<Omit<PortalLine, 'header'>> = {
    transactions: [
      {
        ...{ signatures: transaction.signatures, err: meta?.err ?? null },
        ...{ version: (raw as { version?: unknown }).version ?? 'legacy' },
        ...{ accountKeys: transaction.message.accountKeys, fee: String(meta?.fee ?? 0) },
        numRequiredSignatures: transaction.message.header?.numRequiredSignatures ?? 1,
        loadedAddresses: meta?.loadedAddresses ?? { writable: [], readonly: [] },
        hasDroppedLogMessages: logs === null,
      },
    ],
    ...{ instructions, logs: logs ?? [], balances: listBalances(raw, keys) },
    tokenBalances: listTokenBalances(raw, keys),
  };
  for (const name of Object.keys(rows) as (keyof typeof rows)[]) {
    const own = rows[name].map((row) => ({ transactionIndex, ...row }));
    if (own.length > 0) line[name] = [...(line[name] ?? []), ...own];
  }
}

/** Without votes, which count all the same. */
export function toPortalBlock(slot: number, block: RpcBlock): PortalLine {
  const line: PortalLine = {
    header: {
      ...{ number: slot, hash: block.blockhash },
      ...{ parentNumber: block.parentSlot, parentHash: block.previousBlockhash },
      timestamp: block.blockTime ?? 0,
    },
  };
  for (const [index, raw] of block.transactions.entries()) {
    if (!isVote(raw)) addTransaction(line, raw, index);
  }
  return line;
}
