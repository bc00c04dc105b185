// Parses a block's logs and senders from its receipts.

import type { Address, TransactionId } from '../../../model/ids.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { parseEvmAddress, parseEvmTransaction } from '../data/evm-ids.ts';
import type { EvmLog } from '../data/evm-log.ts';
import { type LogRange, parseLogs } from '../data/parse-logs.ts';

interface BlockReceipts {
  readonly logs: EvmLog[];
  readonly senders: ReadonlyMap<TransactionId, Address>;
  /** Used by all transactions up to the last; null if a node does not return it. */
  readonly gasUsed: number | null;
}

const QUANTITY = /^0x[0-9a-f]{1,13}$/i;

export function parseReceipts(raw: unknown, range: LogRange): BlockReceipts {
  const { endpoint } = range;
  const malformed = () =>
    new RpcError('invalidReply', `${endpoint}: receipts are malformed`, { endpoint });
  if (raw === null) {
    throw new RpcError('lagging', `${endpoint}: has no receipts of block ${range.fromBlock}`, {
      endpoint,
    });
  }
  if (!Array.isArray(raw)) throw malformed();
  let gasUsed: number | null = 0;
  const senders = new Map<TransactionId, Address>();
  const logs: unknown[] = [];
  for (const receipt of raw as Record<string, unknown>[]) {
    const { from, transactionHash, logs: own, cumulativeGasUsed } = receipt ?? {};
    if (typeof from !== 'string' || typeof transactionHash !== 'string') throw malformed();
    const transaction = parseEvmTransaction(transactionHash);
    const sender = parseEvmAddress(from);
    if (transaction === null || sender === null || !Array.isArray(own)) throw malformed();
    senders.set(transaction, sender);
    for (const log of own) logs.push(log);
    const isGas = typeof cumulativeGasUsed === 'string' && QUANTITY.test(cumulativeGasUsed);
    gasUsed = isGas && gasUsed !== null ? Math.max(gasUsed, Number(cumulativeGasUsed)) : null;
  }
  return { logs: parseLogs(logs, range), senders, gasUsed };
}
