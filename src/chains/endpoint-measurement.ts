// What an endpoint can do, as measured. Plain data.

import type { MethodUsage } from '../model/rpc-usage.ts';

/** What an EVM node may or may not offer. */
export interface EvmAbilities {
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

/** What a node of Solana may or may not offer. */
export interface SolanaAbilities {
  /** Lists of a program's accounts, by filters. */
  readonly scans: boolean;
  readonly gzip: boolean;
}

/** Bytes over the network for one block, compressed where the endpoint compresses. */
interface EvmBlockBytes {
  readonly header: number;
  /** With its transactions. */
  readonly full: number;
  readonly logs: number;
  /** Null if receipts are not offered. */
  readonly receipts: number | null;
  /** The logs of the chain's busiest pool; an average over several blocks. */
  readonly poolLogs: number;
}

interface MeasuredEndpoint {
  /** Host and index: safe to show. */
  readonly name: string;
  readonly head: number;
  readonly blockSeconds: number;
  /** Of the last blocks, on all venues that are known. */
  readonly swapsPerBlock: number;
  readonly batchCallsMax: number;
  /** Calls that were sent at once: on Solana, of whole blocks. */
  readonly burst: {
    readonly sent: number;
    readonly answered: number;
    readonly seconds: number;
  };
  /** What the measurement itself took. */
  readonly usage: readonly MethodUsage[];
}

export interface EvmMeasurement extends MeasuredEndpoint {
  readonly family: 'evm';
  readonly abilities: EvmAbilities;
  readonly blockBytes: EvmBlockBytes;
  /** The longest range that was answered. */
  readonly logBlocksMax: number;
  /** How far back there is state, at least; null if all of it. */
  readonly stateDepth: number | null;
}

export interface SolanaMeasurement extends MeasuredEndpoint {
  readonly family: 'solana';
  readonly abilities: SolanaAbilities;
  /** Slots without a block are skipped. */
  readonly slotsPerBlock: number;
  /** The first slot that the endpoint has; null if it does not say. */
  readonly firstSlot: number | null;
  readonly blockBytes: {
    readonly header: number;
    readonly full: number;
    readonly signatures: number;
  };
  /** Transactions of the busiest pool. */
  readonly poolTransactionsPerBlock: number;
}

export type EndpointMeasurement = EvmMeasurement | SolanaMeasurement;

/** The measurement, or why there is none. */
export type EndpointReport =
  | { readonly kind: 'measured'; readonly measurement: EndpointMeasurement }
  | { readonly kind: 'failed'; readonly name: string; readonly reason: string };
