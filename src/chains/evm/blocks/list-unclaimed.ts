// Lists the swaps of a range that no venue claims. Anybody can log a swap that never happened:
// only those count whose emitter received and sent tokens in the same transaction.

import type { EvmLog } from '../data/evm-log.ts';
import { toTopicAddress } from '../data/hex-data.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';
import type { RefusedSwap } from './accept-events.ts';

interface RangeSwaps {
  readonly logs: readonly EvmLog[];
  readonly undecoded: readonly EvmLog[];
  readonly refused: readonly RefusedSwap[];
}

/** The swaps whose emitters received and sent tokens in their transactions. */
function listRealSwaps(swaps: readonly EvmLog[], logs: readonly EvmLog[]): EvmLog[] {
  const hashes = new Set(swaps.map(({ txHash }) => txHash));
  const received = new Set<string>();
  const sent = new Set<string>();
  for (const { topics, txHash } of logs) {
    if (topics[0] !== TRANSFER_TOPIC || !hashes.has(txHash)) continue;
    sent.add(`${txHash} ${toTopicAddress(topics[1])}`);
    received.add(`${txHash} ${toTopicAddress(topics[2])}`);
  }
  return swaps.filter(({ txHash, address }) => {
    const key = `${txHash} ${address}`;
    return received.has(key) && sent.has(key);
  });
}

export function listUnclaimed({ logs, undecoded, refused }: RangeSwaps): EvmLog[] {
  if (undecoded.length === 0 && refused.length === 0) return [];
  const keys = new Set(refused.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`));
  const strange = logs.filter(({ txHash, logIndex }) => keys.has(`${txHash} ${logIndex}`));
  return listRealSwaps([...undecoded, ...strange], logs);
}
