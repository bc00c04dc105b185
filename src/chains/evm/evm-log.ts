// A log as the decoders see it, and what they make of it.

import type { MarketEvent, SwapEvent } from '../../model/block-events.ts';
import type { Address, TransactionId } from '../../model/ids.ts';

/** A log that has been checked: lower-case hex, numbers parsed. */
export interface EvmLog {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: number;
  readonly blockHash: string;
  readonly txHash: TransactionId;
  readonly logIndex: number;
  /** Null where the node does not tell. */
  readonly timestampMs: number | null;
}

/** A swap before its sender is known. */
export type DecodedSwap = Omit<SwapEvent, 'wallet'>;

export type DecodedEvent = Exclude<MarketEvent, SwapEvent> | DecodedSwap;

/**
 * Appends the events that a log tells. A log of the right topic and the wrong shape is some other
 * contract's business and tells nothing.
 */
export type LogDecoder = (log: EvmLog, out: DecodedEvent[]) => void;
