// Swaps that were logged although nothing, or not enough, moved.

import type { EvmLog } from '../data/evm-log.ts';

type LogPlace = Pick<EvmLog, 'txHash' | 'logIndex'>;

/** The places of swaps that nothing backs. */
export type UnbackedSwaps = ReadonlySet<string>;

/** Takes all logs of their transactions. */
export type FindUnbacked = (logs: readonly EvmLog[]) => UnbackedSwaps;

export const NONE_UNBACKED: UnbackedSwaps = new Set();

export function toPlaceKey({ txHash, logIndex }: LogPlace): string {
  return `${txHash} ${logIndex}`;
}

export function isUnbacked(unbacked: UnbackedSwaps, place: LogPlace): boolean {
  return unbacked.size > 0 && unbacked.has(toPlaceKey(place));
}
