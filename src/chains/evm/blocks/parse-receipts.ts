// Parses a block's logs and senders from its receipts, for blocks that no log query returns.

import type { Address, TransactionId } from '../../../model/ids.ts';
import { parseEvmAddress, parseEvmTransaction } from '../evm-ids.ts';
import type { EvmLog } from '../evm-log.ts';
import { RpcError } from '../rpc/rpc-error.ts';
import { type LogRange, parseLogs } from './parse-logs.ts';

interface BlockReceipts {
  readonly logs: EvmLog[];
  readonly senders: ReadonlyMap<TransactionId, Address>;
}

export function parseReceipts(raw: unknown, range: LogRange): BlockReceipts {
  const { endpoint } = range;
  const malformed = () =>
    new RpcError('invalidReply', `${endpoint}: receipts are malformed`, { endpoint });
  if (!Array.isArray(raw)) throw malformed();
  const senders = new Map<TransactionId, Address>();
  const logs: unknown[] = [];
  for (const receipt of raw as Record<string, unknown>[]) {
    const { from, transactionHash, logs: own } = receipt ?? {};
    if (typeof from !== 'string' || typeof transactionHash !== 'string') throw malformed();
    const transaction = parseEvmTransaction(transactionHash);
    const sender = parseEvmAddress(from);
    if (transaction === null || sender === null || !Array.isArray(own)) throw malformed();
    senders.set(transaction, sender);
    for (const log of own) logs.push(log);
  }
  return { logs: parseLogs(logs, range), senders };
}
