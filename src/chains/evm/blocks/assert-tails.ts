// A bloom cannot tell that a block's last logs are missing when earlier ones look alike: the same
// wallet buying twice from the same pool. The receipts of the last transactions can.

import type { TransactionId } from '../../../model/ids.ts';
import type { EvmLog } from '../evm-log.ts';
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../rpc/rpc-error.ts';
import type { EvmBlock } from './parse-block.ts';

/** Transactions after the last one with logs are mostly few; beyond this many the bloom must do. */
const TAIL_TRANSACTIONS_MAX = 32;

interface Tail {
  readonly txHash: TransactionId;
  readonly blockHash: string;
  /** How many logs of this transaction the node told. */
  readonly logCount: number;
}

/** The last transaction that has logs, and those that come after it and should have none. */
function toTails(block: EvmBlock, logs: readonly EvmLog[]): Tail[] {
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

function isAsTold(receipt: unknown, tail: Tail): boolean {
  if (typeof receipt !== 'object' || receipt === null) return false;
  const { blockHash, logs } = receipt as Record<string, unknown>;
  return blockHash === tail.blockHash && Array.isArray(logs) && logs.length === tail.logCount;
}

/** Expects the logs to be all that the blocks have, without gaps. */
export async function assertTailsComplete(
  endpoint: RpcEndpoint,
  read: { readonly blocks: readonly EvmBlock[]; readonly logs: readonly EvmLog[] },
  signal?: AbortSignal,
): Promise<void> {
  const logs = groupByBlock(read.logs);
  const tails = read.blocks.flatMap((block) =>
    toTails(block, logs.get(block.header.position) ?? []),
  );
  const outcomes = await endpoint.batch(
    tails.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
    { signal },
  );
  for (const [index, tail] of tails.entries()) {
    const outcome = outcomes[index];
    // A node without receipts leaves it at the bloom.
    if (outcome?.ok === false && isRpcError(outcome.error, 'unsupported')) return;
    if (isAsTold(endpoint.unwrap(outcome), tail)) continue;
    const { name } = endpoint;
    throw new RpcError('invalidReply', `${name}: logs and receipts differ`, { endpoint: name });
  }
}
