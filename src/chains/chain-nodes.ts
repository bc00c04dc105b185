// The nodes of one chain as a thread of ours uses them, and what is fixed about its markets.

import type { Address } from '../model/ids.ts';
import type { PoolDescription } from '../model/pool.ts';
import type { ChainAdapter, ChainAssets, KnownPools } from './adapter.ts';
import type { ChainTransactions } from './chain-transactions.ts';
import type { TransactionCosts } from './transaction-costs.ts';
import type { SignedText } from './wallet-signatures.ts';

export interface ChainMarket {
  readonly assets: ChainAssets;
  /** The token that wraps the native coin. */
  readonly wrapped: Address;
  /** The exchanges that are indexed. */
  readonly venues: readonly string[];
  /** Those of them that trades can be built on. */
  readonly tradedVenues: ReadonlySet<string>;
  /** Accounts that hold the tokens of many pools. */
  readonly vaults: ReadonlySet<Address>;
  /** Accounts whose tokens nobody can move. */
  readonly burnAddresses: ReadonlySet<Address>;
  readonly costs: TransactionCosts;
}

/** What a chain charges for a unit of a transaction's cost (gas on EVM chains), in its own coin. */
export interface NetworkFees {
  /** In the next block. */
  readonly perUnit: bigint;
  /** The most, with room for fees to rise until a trade is executed. */
  readonly perUnitMax: bigint;
}

/** A trade from the native coin to a pool, and back. */
export interface RoundTrip {
  /** The pool in question comes last. */
  readonly hops: readonly { readonly pool: PoolDescription; readonly zeroForOne: boolean }[];
  /** In the native coin. */
  readonly amountIn: bigint;
  readonly fees: NetworkFees | null;
  /** A node that is not at this block yet is not asked. */
  readonly minBlock: number;
}

export interface SwapMeasure {
  readonly isDone: boolean;
  readonly sent: bigint;
  readonly arrived: bigint;
  readonly paid: bigint;
  readonly received: bigint;
  /** What of the token that is paid lay in the pool beyond its reserves. */
  readonly stray: bigint;
  /** What the contract of the token that is sent used of gas. */
  readonly gas: bigint;
}

/** The swap in the pool on the way there and on the way back; null where it was not reached. */
export interface RoundTripView {
  readonly there: SwapMeasure | null;
  readonly back: SwapMeasure | null;
}

/** A view is null where the node cannot show it. */
export interface RoundTripViews {
  readonly asContract: RoundTripView | null;
  readonly asWallet: RoundTripView | null;
}

interface AdapterOptions {
  readonly knownPools: KnownPools;
  /** Check what nodes tell against the blocks' headers in all ranges, or in linked ones only. */
  readonly verification: 'linked' | 'all';
}

/** All that is asked of a chain's nodes. Its uses share one pool of endpoints. */
export interface ChainNodes {
  /** Blocks and state, for indexing. To be closed by the caller. */
  createAdapter(options: AdapterOptions): ChainAdapter;
  /** Building and simulating trades, while somebody waits. */
  readonly transactions: ChainTransactions;
  /** The position of the newest block. Asked in the background, as the next two are. */
  readHead(signal: AbortSignal): Promise<number>;
  readFees(signal: AbortSignal): Promise<NetworkFees>;
  /** Null where one of the pools is of a kind that cannot be simulated. */
  simulateRoundTrip(trip: RoundTrip, signal: AbortSignal): Promise<RoundTripViews | null>;
  /** True for contracts. Fails when no endpoint answers for all of them. */
  findContracts(
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, boolean>>;
  /** Whether a contract wallet accepts the signature; false where there is no contract. */
  verifyContractSignature(signed: SignedText, signal: AbortSignal): Promise<boolean>;
  close(): void;
}
