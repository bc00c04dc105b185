// The nodes of one chain as a thread uses them, and the fixed facts of its markets.

import type { Address } from '../model/ids.ts';
import type { PoolDescription } from '../model/pool.ts';
import type { MethodUsage } from '../model/rpc-usage.ts';
import type { ChainAdapter, ChainAssets, KnownPools } from './adapter.ts';
import type { ChainTransactions } from './chain-transactions.ts';
import type { TransactionCosts } from './transaction-costs.ts';
import type { SignedText } from './wallet-signatures.ts';

export interface ChainMarket {
  readonly assets: ChainAssets;
  /** The token that wraps the native coin. */
  readonly wrapped: Address;
  /** The venues that are indexed. */
  readonly venues: readonly string[];
  /** Those that can be quoted and built on. */
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
  /** The probed pool comes last. */
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
  /** The pool's balance of the output token in excess of its reserves. */
  readonly stray: bigint;
  /** The cost units used by the contract of the input token; 0 unless they are unusually many. */
  readonly unusualUnits: bigint;
}

/** The swaps in the probed pool, there and back; null if the trip did not reach it. */
export interface RoundTripView {
  readonly there: SwapMeasure | null;
  readonly back: SwapMeasure | null;
}

/** A view is null if the node cannot simulate it. */
export interface RoundTripViews {
  readonly asContract: RoundTripView | null;
  readonly asWallet: RoundTripView | null;
}

interface AdapterOptions {
  readonly knownPools: KnownPools;
  /** Whether to check replies against the blocks' headers in all ranges or only in linked ones. */
  readonly verification: 'linked' | 'all';
}

/** Everything that is read from a chain's nodes. All uses share one pool of endpoints. */
export interface ChainNodes {
  /** Blocks and state, for indexing. To be closed by the caller. */
  createAdapter(options: AdapterOptions): ChainAdapter;
  /** Building and simulating trades, while a client waits. */
  readonly transactions: ChainTransactions;
  /** The position of the newest block. Asked in the background, as the next two are. */
  readHead(signal: AbortSignal): Promise<number>;
  readFees(signal: AbortSignal): Promise<NetworkFees>;
  /** Null if one of the pools is of a kind that cannot be simulated. */
  simulateRoundTrip(trip: RoundTrip, signal: AbortSignal): Promise<RoundTripViews | null>;
  /** True for contracts. Fails when no endpoint answers for all of them. */
  findContracts(
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, boolean>>;
  /** Whether a contract wallet accepts the signature; false if there is no contract. */
  verifyContractSignature(signed: SignedText, signal: AbortSignal): Promise<boolean>;
  /** What this thread's calls took since the start, by method; makes no request. */
  listUsage(): readonly MethodUsage[];
  /** What the endpoints cannot do, as this thread met it; makes no request. */
  listLimitations(): readonly string[];
  close(): void;
}
