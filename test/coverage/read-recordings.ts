// Reads recorded blocks. Of EVM chains their logs: `<chain>-<block>.receipts.json` as nodes answer,
// or files of the form {chain, logs}. Of Solana blocks and transactions as nodes answer.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { evmAddress, parseEvmTransaction } from '../../src/chains/evm/data/evm-ids.ts';
import type { EvmLog } from '../../src/chains/evm/data/evm-log.ts';
import type { RawTransaction } from '../../src/chains/solana/data/raw-transaction.ts';
import { toRawTransaction } from '../solana-fixtures.ts';

export interface LogRecording {
  readonly kind: 'logs';
  readonly file: string;
  readonly chain: string;
  readonly logs: readonly EvmLog[];
}

interface SolanaRecording {
  readonly kind: 'transactions';
  readonly file: string;
  readonly transactions: readonly RawTransaction[];
}

export type Recording = LogRecording | SolanaRecording;

interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly logIndex: string;
}

function parseLog(log: RawLog): EvmLog {
  const txHash = parseEvmTransaction(log.transactionHash);
  if (txHash === null) throw new TypeError(`${log.transactionHash} is no transaction`);
  return {
    ...{ address: evmAddress(log.address), topics: log.topics, data: log.data, txHash },
    ...{ block: Number(log.blockNumber), logIndex: Number(log.logIndex) },
    ...{ blockHash: '0x', timestampMs: null },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isTransaction(value: unknown): value is RawTransaction {
  if (!isRecord(value) || !isRecord(value['meta']) || !isRecord(value['transaction'])) return false;
  return isRecord(value['transaction']['message']);
}

/** Of a block of Solana, or a transaction; either may be the `result` of an answer. */
function listTransactions(content: Readonly<Record<string, unknown>>): RawTransaction[] {
  const answer = isRecord(content['result']) ? content['result'] : content;
  const listed = Array.isArray(answer['transactions']) ? answer['transactions'] : [answer];
  return listed.filter(isTransaction).map(toRawTransaction);
}

/** Null for a file of another form. */
function parseRecording(file: string, content: unknown): Recording | null {
  const name = basename(file);
  if (Array.isArray(content) && name.endsWith('.receipts.json')) {
    const logs = content.flatMap(({ logs: own }: { logs: RawLog[] }) => own.map(parseLog));
    return { kind: 'logs', file, chain: name.split('-')[0] ?? '', logs };
  }
  if (!isRecord(content)) return null;
  const transactions = listTransactions(content);
  if (transactions.length > 0) return { kind: 'transactions', file, transactions };
  if (typeof content['chain'] !== 'string' || !Array.isArray(content['logs'])) return null;
  return { kind: 'logs', file, chain: content['chain'], logs: content['logs'].map(parseLog) };
}

export function readRecordings(folder: string): Recording[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort();
  return files.flatMap((file) => {
    const content: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    return parseRecording(file, content) ?? [];
  });
}
