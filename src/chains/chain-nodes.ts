// The nodes of one chain as a thread uses them, and the fixed facts of its markets.

import type { DirectionFees } from '../amm/swap-pool.ts';
import type { PoolTransferFees } from '../amm/transfer-fee.ts';
import type { BlockHeader } from '../model/block-header.ts';
import type { TokenFacts } from '../model/contract-facts.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { LiquidityOwners } from '../model/liquidity-owners.ts';
import type { PoolDescription, PoolKindName } from '../model/pool.ts';
import type { MethodUsage } from '../model/rpc-usage.ts';
import type { ChainAdapter, ChainAssets, KnownPools } from './adapter.ts';
import type { ChainTransactions } from './chain-transactions.ts';
import type { PriorityTips } from './priority.ts';
import type { TradeRouter } from './trade-router.ts';
import type { ListedAccounts, TransactionCosts } from './transaction-costs.ts';
import type { SignedText } from './wallet-signatures.ts';

export interface ChainMarket {
  readonly assets: ChainAssets;
  /** The token that wraps the native coin. */
  readonly wrapped: Address;
  /** The venues that are indexed. */
  readonly venues: readonly string[];
  /** Those that can be quoted and built on. */
  readonly tradedVenues: ReadonlySet<string>;
  /** Those of them whose pools are quoted by a call if their swaps are not computed. */
  readonly onChainVenues?: ReadonlySet<string>;
  /** What executes trades there; absent if one router reaches all of these venues. */
  readonly routers?: readonly TradeRouter[];
  /** Accounts that hold the tokens of many pools. */
  readonly vaults: ReadonlySet<Address>;
  /** Accounts whose tokens nobody can move. */
  readonly burnAddresses: ReadonlySet<Address>;
  /** Whether tokens are mints of the chain's own programs, without code of their own. */
  readonly hasMints?: boolean;
  readonly costs: TransactionCosts;
}

/**
 * What a chain charges for a unit of a transaction's cost (gas on EVM chains), in its own coin, and
 * what else decides how much fits into one.
 */
export interface NetworkFees {
  /** In the next block. */
  readonly perUnit: bigint;
  /** The most, with room for fees to rise until a trade is executed. */
  readonly perUnitMax: bigint;
  /** What of both is offered to be executed sooner: that of `medium`. Zeros if absent. */
  readonly tips?: PriorityTips;
  readonly data: DataFees;
  /** Of the operator's lists of accounts; absent if there are none. */
  readonly listed?: ListedAccounts;
  /** For chains that also charge beside the units, or less than a coin's smallest part for one. */
  readonly flat?: FlatFees;
}

/** In the native coin. */
interface FlatFees {
  /** `perUnit` and `perUnitMax` are for this many units. */
  readonly unitsPerPrice: bigint;
  /** Of every transaction. */
  readonly baseRaw: bigint;
  /** What opening an account for a token takes; closing it returns that. */
  readonly accountRaw: bigint;
}

/** What a transaction of a length was charged. */
interface DataFee {
  /** By the model of `HopBytes`. */
  readonly bytes: number;
  readonly charged: bigint;
}

/**
 * What a rollup charges for putting a transaction on its parent chain, with the same room to rise:
 * as further cost units, or as a fee in the native coin. Between a short and a long transaction it
 * is close to linear.
 */
export type DataFees =
  | { readonly kind: 'none' }
  /** The chain charges for data, but its node does not say how much. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'units' | 'coin'; readonly short: DataFee; readonly long: DataFee };

/** A pool with what its swaps already deduct for its tokens' transfers. */
type TripPool = PoolDescription & { readonly transferFees?: PoolTransferFees | null };

/** A trade from the native coin to a pool, and back. */
export interface RoundTrip {
  /** The probed pool comes last. */
  readonly hops: readonly { readonly pool: TripPool; readonly zeroForOne: boolean }[];
  /** In the native coin. */
  readonly amountIn: bigint;
  /** The most that the pools take for certain: tokens may treat large amounts otherwise. */
  readonly amountInMax?: bigint;
  readonly fees: NetworkFees | null;
  /** A node that is not at this block yet is not asked. */
  readonly minBlock: number;
  /** The block to simulate on; null for the newest, also used if no node has the state of it. */
  readonly block: Pick<BlockHeader, 'position' | 'hash'> | null;
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
  /** The pool right before the swap; null for pools that the probe does not ask. */
  readonly before: {
    readonly sqrtPriceX96: bigint;
    readonly liquidity: bigint;
  } | null;
}

/** The swaps in the probed pool, there and back; null if the trip did not reach it. */
export interface RoundTripView {
  readonly there: SwapMeasure | null;
  /** The first sale of what was bought. */
  readonly back: SwapMeasure | null;
  /** Further sales, if only a part was sold at first: of more, and some of them much later. */
  readonly rest?: readonly SwapMeasure[];
}

/** A view is null if the node cannot simulate it. */
export interface RoundTripViews {
  readonly asContract: RoundTripView | null;
  readonly asWallet: RoundTripView | null;
}

/** Whose holdings to read, and of which tokens. */
export interface HoldingsQuery {
  readonly owner: Address;
  readonly tokens: readonly Address[];
  readonly block: Pick<BlockHeader, 'position' | 'hash'>;
}

/** What an account holds at a block; null where the chain did not say. */
export interface Holdings {
  readonly nativeRaw: bigint | null;
  /** In the order asked. */
  readonly amountsRaw: readonly (bigint | null)[];
}

interface AdapterOptions {
  readonly knownPools: KnownPools;
  /** Whether to check replies against the blocks' headers in all ranges or only in linked ones. */
  readonly verification: 'linked' | 'all';
  /** Whether pools of factories that nobody listed may be accepted by what they do. */
  readonly findsForks?: boolean;
  /** Whether final blocks may come from the archives of the source. */
  readonly usesArchives?: boolean;
}

/** A pool whose fee may change without a log. */
export interface PoolFeeQuery {
  readonly pool: PoolId;
  readonly kind: PoolKindName;
  readonly venue: string;
  readonly token0: Address;
  readonly token1: Address;
  /** Whether a pair of Solidly's family is a stable one; null for other pools. */
  readonly isStable: boolean | null;
}

/** Pools between two tokens whose swaps only their contract computes, and what they are asked. */
export interface OnChainQuery {
  readonly swaps: readonly { readonly pool: PoolDescription; readonly zeroForOne: boolean }[];
  readonly amounts: readonly bigint[];
  /** The block whose state counts. */
  readonly block: number;
}

/** What a pool answers. */
export interface OnChainQuote {
  /** For each amount; null where the pool is not called or refuses. */
  readonly amountsOut: readonly (bigint | null)[];
  /** Whether a pool of Curve is called as a stable one; null for other pools. */
  readonly isStable: boolean | null;
}

/** Everything that is read from a chain's nodes. All uses share one pool of endpoints. */
export interface ChainNodes {
  /** Blocks and state, for indexing. To be closed by the caller. */
  createAdapter(options: AdapterOptions): ChainAdapter;
  /** Building and simulating trades, while a client waits. */
  readonly transactions: ChainTransactions;
  /** In the background, as the next one. */
  readFees(signal: AbortSignal): Promise<NetworkFees>;
  /**
   * The fees that pools charge in the newest block, where no log tells them; null for other pools.
   * Absent for families without such pools.
   */
  readPoolFees?(
    pools: readonly PoolFeeQuery[],
    signal: AbortSignal,
  ): Promise<readonly (DirectionFees | null)[]>;
  /**
   * What pools pay for each of the amounts, while a client waits. Absent for families whose pools
   * are not called.
   */
  quotePools?(query: OnChainQuery, signal: AbortSignal): Promise<readonly OnChainQuote[]>;
  /** Null if one of the pools is of a kind that cannot be simulated. */
  simulateRoundTrip(trip: RoundTrip, signal: AbortSignal): Promise<RoundTripViews | null>;
  /** True for contracts. Fails when no endpoint answers for all of them. */
  findContracts(
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, boolean>>;
  /**
   * The native coin and some tokens, in one call. Null if no node has the state of that block, or
   * the block was reorganised away.
   */
  readHoldings(query: HoldingsQuery, signal: AbortSignal): Promise<Holdings | null>;
  /**
   * What a token's contract, or its mint, shows of itself, as of now; null if there is none. Absent
   * for families of which that is not known.
   */
  readContractFacts?(token: Address, signal: AbortSignal): Promise<TokenFacts | null>;
  /**
   * Who owns the shares of pools, as of now; null for a pool without shares, and where that cannot
   * be read. Absent for families of which that is not known.
   */
  readLiquidityOwners?(
    pools: readonly PoolDescription[],
    signal: AbortSignal,
  ): Promise<readonly (LiquidityOwners | null)[]>;
  /**
   * Those of the addresses at which there is something that is no token. Absent for families of
   * which that is not known.
   */
  findNonTokens?(addresses: readonly Address[], signal: AbortSignal): Promise<ReadonlySet<Address>>;
  /** Whether a contract wallet accepts the signature; false if there is no contract. */
  verifyContractSignature(signed: SignedText, signal: AbortSignal): Promise<boolean>;
  /**
   * What the operator's file says of the chain and the chain does not confirm, in words for the
   * operator; empty if all of it is true or there is no entry. Fails when no endpoint answers.
   */
  checkContracts(signal: AbortSignal): Promise<readonly string[]>;
  /** What this thread's calls took since the start, by method; makes no request. */
  listUsage(): readonly MethodUsage[];
  /** What the endpoints cannot do, as this thread met it; makes no request. */
  listLimitations(): readonly string[];
  close(): void;
}
