// A bloom filter cannot show that a block's last logs are missing if earlier ones look alike, for
// instance if the same wallet buys twice from the same pool. The receipts of the last transactions
// can.

import type { TransactionId } from '../../../model/ids.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import type { EvmLog } from '../data/evm-log.ts';
import type { EvmBlock } from '../data/parse-block.ts';

/**
 * There are usually few transactions after the last one with logs; above this number only the bloom
 * is checked.
 */
const TAIL_TRANSACTIONS_MAX = 32;

interface Tail {
  readonly txHash: TransactionId;
  readonly blockHash: string;
  /** How many logs of this transaction the node returned. */
  readonly logCount: number;
}

/** The last transaction with logs, and those after it, which should have none. */
function findTails(block: EvmBlock, logs: readonly EvmLog[]): Tail[] {
  const last = logs.at(-1);
  if (last === undefined) return [];
  const { hash: blockHash } = block.header;
  const position = block.txHashes.indexOf(last.txHash);
  const later = position === -1 ? [] : block.txHashes.slice(position + 1);
  const logCount = logs.filter((log) => log.txHash === last.txHash).length;
  return [
    { txHash: last.txHash, blockHash, logCount },
    ...later.slice(0, TAIL_TRANSACTIONS_MAX).map((txHash) => ({ txHash, blockHash, logCount: 0 })),
  ];
}

function groupByBlock(logs: readonly EvmLog[]): Map<number, EvmLog[]> {
  return Map.groupBy(logs, (log) => log.block);
}

function matchesTail(receipt: unknown, tail: Tail): boolean {
  if (typeof receipt !== 'object' || receipt === null) return false;
  const { blockHash, logs } = receipt as Record<string, unknown>;
  return blockHash === tail.blockHash && Array.isArray(logs) && logs.length === tail.logCount;
}

/** Requires all logs of the blocks, without gaps. */
export async function assertTailsComplete(
  endpoint: RpcEndpoint,
  read: { readonly blocks: readonly EvmBlock[]; readonly logs: readonly EvmLog[] },
  signal?: AbortSignal,
): Promise<void> {
  const logs = groupByBlock(read.logs);
  const tails = read.blocks.flatMap((block) =>
    findTails(block, logs.get(block.header.position) ?? []),
  );
  const outcomes = await endpoint.batch(
    tails.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
    { signal },
  );
  for (const [index, tail] of tails.entries()) {
    const outcome = outcomes[index];
    // If a node has no receipts, the bloom check must do.
    if (outcome?.ok === false && isRpcError(outcome.error, 'unsupported')) return;
    if (matchesTail(endpoint.unwrap(outcome), tail)) continue;
    const { name } = endpoint;
    throw new RpcError('invalidReply', `${name}: logs and receipts differ`, { endpoint: name });
  }
}
