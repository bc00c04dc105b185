// Decodes logs without the swaps that moved nothing, and looks up the pools that emitted them.

import type { EvmLog } from '../data/evm-log.ts';
import type { PoolDirectory } from '../pools/pool-directory.ts';
import { findUnbackedForks } from '../pools/unbacked-forks.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import type { DecodedLogs, LogDecoding } from '../venues/log-decoding.ts';
import { isUnbacked, NONE_UNBACKED, type UnbackedSwaps } from '../venues/unbacked-swaps.ts';

interface BackedDecoding {
  readonly decoding: LogDecoding;
  readonly directory: PoolDirectory;
  readonly callContracts: CallContracts;
  /** Without all transfers, no swap of an unlisted fork counts, and every swap of a vault does. */
  readonly hasAllTransfers: boolean;
}

/** A swap of a vault that moved no tokens is kept and marked: it changed its pool all the same. */
export function dropUnbacked(
  logs: readonly EvmLog[],
  unbacked: UnbackedSwaps,
  { unbackedTopics }: Pick<LogDecoding, 'unbackedTopics'>,
): readonly EvmLog[] {
  if (unbacked.size === 0) return logs;
  return logs.flatMap((log): EvmLog[] => {
    if (!isUnbacked(unbacked, log)) return [log];
    if (!unbackedTopics.has(log.topics[0] ?? '')) return [];
    return [{ ...log, isUnbacked: true }];
  });
}

export async function decodeBacked(
  logs: readonly EvmLog[],
  { decoding, directory, callContracts, hasAllTransfers }: BackedDecoding,
): Promise<{ readonly decoded: DecodedLogs; readonly unbacked: UnbackedSwaps }> {
  const ofVaults = hasAllTransfers ? decoding.findUnbacked(logs) : NONE_UNBACKED;
  const decoded = decoding.decode(dropUnbacked(logs, ofVaults, decoding));
  await directory.lookUp(decoded.emitters, callContracts);
  const findPool = (pool: Parameters<PoolDirectory['get']>[0]) => directory.get(pool)?.description;
  const ofForks = findUnbackedForks(logs, decoded, findPool);
  if (ofForks.size === 0) return { decoded, unbacked: ofVaults };
  const unbacked = new Set([...ofVaults, ...ofForks]);
  return { decoded: decoding.decode(dropUnbacked(logs, unbacked, decoding)), unbacked };
}
