// What an endpoint can do, as measured. Plain data.

import type { MethodUsage } from '../model/rpc-usage.ts';

/** What a node may or may not offer. */
export interface EndpointAbilities {
  /** The block that can no longer be reorganised. */
  readonly finalized: boolean;
  /** All receipts of a block in one call. */
  readonly receipts: boolean;
  /** State by a block's hash (EIP-1898). */
  readonly hashes: boolean;
  /** Calls with changed state. */
  readonly overrides: boolean;
  /** Several calls on one state. */
  readonly simulation: boolean;
  readonly feeHistory: boolean;
  readonly debug: boolean;
  readonly trace: boolean;
  readonly gzip: boolean;
}

/** Bytes over the network for one block, compressed where the endpoint compresses. */
interface BlockBytes {
  readonly header: number;
  /** With its transactions. */
  readonly full: number;
  readonly logs: number;
  /** Null if receipts are not offered. */
  readonly receipts: number | null;
  /** The logs of the chain's busiest pool; an average over several blocks. */
  readonly poolLogs: number;
}

export interface EndpointMeasurement {
  /** Host and index: safe to show. */
  readonly name: string;
  readonly head: number;
  readonly blockSeconds: number;
  readonly abilities: EndpointAbilities;
  readonly blockBytes: BlockBytes;
  /** Of the last blocks, on all venues that are known. */
  readonly swapsPerBlock: number;
  /** The longest range that was answered. */
  readonly logBlocksMax: number;
  /** How far back there is state, at least; null if all of it. */
  readonly stateDepth: number | null;
  readonly batchCallsMax: number;
  readonly burst: {
    readonly sent: number;
    readonly answered: number;
    readonly seconds: number;
  };
  /** What the measurement itself took. */
  readonly usage: readonly MethodUsage[];
}

/** The measurement, or why there is none. */
export type EndpointReport =
  | { readonly kind: 'measured'; readonly measurement: EndpointMeasurement }
  | { readonly kind: 'failed'; readonly name: string; readonly reason: string };
