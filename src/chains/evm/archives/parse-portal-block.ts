// A line of SQD Portal's stream of an EVM chain.

import type { Address, TransactionId } from '../../../model/ids.ts';
import { parseEvmTransaction } from '../data/evm-ids.ts';
import { KNOWN_ADDRESSES } from '../data/hex-data.ts';
import {
  type ArchivedBlock,
  type ArchivedLog,
  type ArchivedReceipt,
  type HeaderField,
  MalformedBlock,
  parseBytes,
  parseCount,
  parseHeader,
  parseQuantity,
} from './archived-block.ts';

type Fields = Record<string, unknown>;

function parseList(value: unknown, what: string): Fields[] {
  // Empty lists are left out.
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new MalformedBlock(`${what} are not a list`);
  return value;
}

export function parseAddress(value: unknown, what: string): Address {
  const address = KNOWN_ADDRESSES.find(parseBytes(value, what, 20));
  if (address === null) throw new MalformedBlock(`${what} is malformed`);
  return address;
}

/** What the root covers of a log: the same in the forms of the Portal and of nodes. */
export function parseLogFields(raw: Fields): ArchivedLog {
  const { topics } = raw as { topics?: unknown };
  if (!Array.isArray(topics) || topics.length > 4) throw new MalformedBlock('topics are malformed');
  return {
    address: parseAddress(raw['address'], 'address'),
    topics: topics.map((topic) => parseBytes(topic, 'topic', 32)),
    data: parseBytes(raw['data'], 'data'),
  };
}

export function parseTransaction(value: unknown): TransactionId {
  const hash = parseEvmTransaction(parseBytes(value, 'hash', 32));
  if (hash === null) throw new MalformedBlock('hash is malformed');
  return hash;
}

function parseLog(raw: Fields, index: number): ArchivedLog & { readonly transaction: number } {
  if (parseCount(raw['logIndex'], 'logIndex') !== index) {
    throw new MalformedBlock('logs have gaps');
  }
  const transaction = parseCount(raw['transactionIndex'], 'transactionIndex');
  return { ...parseLogFields(raw), transaction };
}

function parseReceipt(
  raw: Fields,
  index: number,
  logs: readonly ArchivedLog[] = [],
): ArchivedReceipt {
  if (parseCount(raw['transactionIndex'], 'transactionIndex') !== index) {
    throw new MalformedBlock('transactions have gaps');
  }
  const { status, type, nonce } = raw as { status?: unknown; type?: unknown; nonce?: unknown };
  return {
    txHash: parseTransaction(raw['hash']),
    from: parseAddress(raw['from'], 'from'),
    type: type === null || type === undefined ? 0 : parseCount(type, 'type'),
    outcome: status === null || status === undefined ? null : parseCount(status, 'status'),
    cumulativeGas: parseQuantity(raw['cumulativeGasUsed'], 'cumulativeGasUsed'),
    logs,
    nonce: nonce === null || nonce === undefined ? null : parseCount(nonce, 'nonce'),
  };
}

/** Of a block only what was asked for: logs, and the transactions that they are of. */
export interface FilteredBlock {
  readonly position: number;
  readonly hash: string;
  readonly timestampMs: number;
  readonly transactions: readonly FilteredTransaction[];
}

export interface FilteredTransaction {
  readonly txHash: TransactionId;
  /** Null if transactions were not asked for. */
  readonly from: Address | null;
  readonly logs: readonly (ArchivedLog & { readonly logIndex: number })[];
}

/** Throws `MalformedBlock`. */
export function parseFilteredBlock(line: unknown, isWhole: boolean): FilteredBlock {
  if (typeof line !== 'object' || line === null) throw new MalformedBlock('a line is no block');
  const raw = line as Fields;
  const header = (raw['header'] ?? {}) as Fields;
  const logs = parseList(raw['logs'], 'logs').map((log) => ({
    ...{ ...parseLogFields(log), logIndex: parseCount(log['logIndex'], 'logIndex') },
    of: isWhole
      ? parseCount(log['transactionIndex'], 'transactionIndex')
      : parseTransaction(log['transactionHash']),
  }));
  if (logs.some(({ logIndex }, index) => logIndex <= (logs[index - 1]?.logIndex ?? -1))) {
    throw new MalformedBlock('logs are not in their order');
  }
  const senders = new Map(
    (isWhole ? parseList(raw['transactions'], 'transactions') : []).map((one) => [
      parseCount(one['transactionIndex'], 'transactionIndex'),
      { txHash: parseTransaction(one['hash']), from: parseAddress(one['from'], 'from') },
    ]),
  );
  const groups = Map.groupBy(logs, ({ of }) => of);
  return {
    position: parseCount(header['number'], 'number'),
    hash: parseBytes(header['hash'], 'hash', 32),
    timestampMs: parseCount(header['timestamp'], 'timestamp') * 1000,
    transactions: Array.from(groups, ([of, own]) => {
      const signed = typeof of === 'number' ? senders.get(of) : { txHash: of, from: null };
      if (signed === undefined) throw new MalformedBlock('a log is of no transaction');
      return { ...signed, logs: own.map(({ of: _, ...log }) => log) };
    }),
  };
}

/** Throws `MalformedBlock`. */
export function parsePortalBlock(
  line: unknown,
  absent: ReadonlySet<HeaderField> = new Set(),
): ArchivedBlock {
  if (typeof line !== 'object' || line === null) throw new MalformedBlock('a line is no block');
  const raw = line as Fields;
  const logs = parseList(raw['logs'], 'logs').map(parseLog);
  // The root binds the order of the logs of one transaction only.
  if (logs.some(({ transaction }, index) => transaction < (logs[index - 1]?.transaction ?? 0))) {
    throw new MalformedBlock('logs are not in the order of their transactions');
  }
  const byTransaction = Map.groupBy(logs, ({ transaction }) => transaction);
  const transactions = parseList(raw['transactions'], 'transactions');
  const receipts = transactions.map((one, index) =>
    parseReceipt(one, index, byTransaction.get(index)),
  );
  if (receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0) !== logs.length) {
    throw new MalformedBlock('a log is of no transaction');
  }
  return { header: parseHeader(raw['header']), absent, receipts };
}
