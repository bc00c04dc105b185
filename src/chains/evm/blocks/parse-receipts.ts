// A block's logs and senders out of its receipts: for blocks whose logs no filter query returns.

import type { EvmLog } from '../evm-log.ts';
import { RpcError } from '../rpc/rpc-error.ts';
import { type LogRange, parseLogs } from './parse-logs.ts';

interface BlockReceipts {
  readonly logs: EvmLog[];
  readonly senders: ReadonlyMap<string, string>;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

export function parseReceipts(raw: unknown, range: LogRange): BlockReceipts {
  const { endpoint } = range;
  const malformed = () =>
    new RpcError('invalidReply', `${endpoint}: receipts are malformed`, { endpoint });
  if (!Array.isArray(raw)) throw malformed();
  const senders = new Map<string, string>();
  const logs: unknown[] = [];
  for (const receipt of raw as Record<string, unknown>[]) {
    const { from, transactionHash, logs: own } = receipt ?? {};
    if (typeof from !== 'string' || typeof transactionHash !== 'string') throw malformed();
    if (!ADDRESS.test(from.toLowerCase()) || !Array.isArray(own)) throw malformed();
    senders.set(transactionHash.toLowerCase(), from.toLowerCase());
    for (const log of own) logs.push(log);
  }
  return { logs: parseLogs(logs, range), senders };
}
