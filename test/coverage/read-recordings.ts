// Reads the logs of recorded blocks: `<chain>-<block>.receipts.json` as nodes answer, or files of
// the form {chain, logs}.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { evmAddress, parseEvmTransaction } from '../../src/chains/evm/data/evm-ids.ts';
import type { EvmLog } from '../../src/chains/evm/data/evm-log.ts';

export interface Recording {
  readonly file: string;
  readonly chain: string;
  readonly logs: readonly EvmLog[];
}

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

/** Null for a file of another form. */
function parseRecording(file: string, content: unknown): Recording | null {
  const name = basename(file);
  if (Array.isArray(content) && name.endsWith('.receipts.json')) {
    const logs = content.flatMap(({ logs: own }: { logs: RawLog[] }) => own.map(parseLog));
    return { file, chain: name.split('-')[0] ?? '', logs };
  }
  if (!isRecord(content) || typeof content['chain'] !== 'string') return null;
  if (!Array.isArray(content['logs'])) return null;
  return { file, chain: content['chain'], logs: content['logs'].map(parseLog) };
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
