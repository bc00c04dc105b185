// A log as the decoders see it, and the decoded events.

import type { MarketEvent, SwapEvent } from '../../../model/block-events.ts';
import type { Address, TransactionId } from '../../../model/ids.ts';

/** A validated log: lower-case hex, numbers parsed. */
export interface EvmLog {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: number;
  readonly blockHash: string;
  readonly txHash: TransactionId;
  readonly logIndex: number;
  /** Null if the node does not return it. */
  readonly timestampMs: number | null;
  /** Of a vault's swap: that it moved no tokens, so that it is no trade. */
  readonly isUnbacked?: true;
}

/** `eth_getLogs` without the range. A null topic matches any. */
export interface LogFilter {
  readonly address: readonly string[];
  readonly topics: readonly (readonly string[] | null)[];
}

export function matchesFilter(
  { address, topics }: LogFilter,
  log: Pick<EvmLog, 'address' | 'topics'>,
): boolean {
  if (!address.includes(log.address)) return false;
  return topics.every((any, at) => any === null || any.includes(log.topics[at] ?? ''));
}

/** A swap before its sender is known. */
export type DecodedSwap = Omit<SwapEvent, 'wallet'> & {
  /** Where the id of the pool does not prove them. */
  readonly tokens?: readonly [Address, Address];
};

export type DecodedEvent = Exclude<MarketEvent, SwapEvent> | DecodedSwap;

/**
 * Appends the events of a log. A log with the right topic and the wrong shape is from another kind
 * of contract and is ignored.
 */
export type LogDecoder = (log: EvmLog, out: DecodedEvent[]) => void;
