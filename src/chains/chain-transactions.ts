// Trades as transactions on one chain: what a family encodes, simulates and finds again.

import type { UnsignedTransaction } from '../contract/schemas/transaction-schemas.ts';
import type { BlockHeader } from '../model/block-header.ts';
import type { Address, PoolId, TransactionId } from '../model/ids.ts';
import type { PoolDescription } from '../model/pool.ts';

/** One swap of a trade. */
export interface TradeSwap {
  readonly pool: PoolDescription;
  /** The pool's own tokens: the native coin or the wrapped one, whichever it holds. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

/** Swaps in a row. */
export interface TradeSwaps<Swap = TradeSwap> {
  /** A part of the input, a part of what the router holds of an asset, or all that it holds. */
  readonly takes: 'input' | 'part' | 'rest';
  /** The inputs of the strands that take the trade's input add up to it, to the unit. */
  readonly amountInRaw: bigint;
  /** What the last pool is expected to pay, before any tax. */
  readonly amountOutRaw: bigint;
  readonly hops: readonly Swap[];
}

/** A priced trade, ready to be encoded. */
export interface ExecutableTrade {
  /** What the wallet spends and receives; the family's native asset is the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountInRaw: bigint;
  readonly amountOutRaw: bigint;
  /** If less would arrive, the trade must fail. */
  readonly minAmountOutRaw: bigint;
  /** In execution order: a strand takes from the router what earlier ones have paid. */
  readonly strands: readonly TradeSwaps[];
  /** What the bought token deducts from each transfer from a pool. */
  readonly outputTaxBps: number;
  /** What the trade uses by model, for chains whose nodes cannot simulate. */
  readonly costUnits: bigint;
}

export interface BuildRequest {
  readonly trade: ExecutableTrade;
  /** The state to simulate on; without a hash, any block at that position. */
  readonly block: { readonly position: number; readonly hash: string | null };
  readonly nowMs: number;
  /** For how long the trade may be executed, from now or from the chain's newest block. */
  readonly lifeSeconds: number;
}

export interface BuiltTransactions {
  /** In signing order; `purpose` is shown to the person who signs. */
  readonly transactions: readonly {
    readonly purpose: string;
    readonly unsigned: UnsignedTransaction;
  }[];
  readonly deadlineSeconds: number;
  /** The most that all of them can cost, in the native coin. */
  readonly feesRaw: bigint;
  /** Null if no node could simulate them. */
  readonly simulation: {
    /** What the wallet received. */
    readonly amountOutRaw: bigint;
    readonly unitsUsed: bigint;
    /** Whether the simulation gave the wallet a balance that it does not have. */
    readonly isBalanceAssumed: boolean;
  } | null;
  /** An allowance that is too low; the transactions raise it. Null if it suffices. */
  readonly allowance: {
    readonly spender: Address;
    readonly requiredRaw: bigint;
    readonly actualRaw: bigint;
  } | null;
}

/** A wallet as of the newest block. */
export interface TradingWallet {
  readonly head: BlockHeader;
  readonly nativeRaw: bigint;
  /** The balance of the input token; the native balance if that is the input. */
  readonly balanceRaw: bigint;
  /**
   * Encodes a trade and simulates all of its transactions. Null if the block is no longer part of
   * the chain. Throws `SIMULATION_REVERTED` if one of them would fail.
   */
  build(request: BuildRequest): Promise<BuiltTransactions | null>;
}

export interface MinedTransaction {
  readonly state: 'mined';
  readonly isReverted: boolean;
  readonly block: BlockHeader;
  /** Ids in its logs that may be pools; others are ignored. */
  readonly poolCandidates: readonly PoolId[];
}

/** The status of a transaction, as far as any node knows. */
export type TransactionFate =
  | { readonly state: 'unknown' }
  | { readonly state: 'pending' }
  | MinedTransaction;

/** What asking a node of a chain may end in. */
export interface NodeFaults {
  /** Whether an error says that no node answered. */
  isUnavailable(error: unknown): boolean;
  /** When the first node may be asked again. */
  retryAfterSeconds(): number;
}

/** Transactions on one chain, asked of its nodes. Nothing is ever signed or sent. */
export interface ChainTransactions extends NodeFaults {
  /** False if no router is known. */
  readonly canBuild: boolean;
  /** The position of the newest block of a node. */
  readHead(): Promise<number>;
  readTransaction(id: TransactionId): Promise<TransactionFate>;
  /** `tokenIn` is what the wallet will spend. */
  readWallet(wallet: Address, tokenIn: Address): Promise<TradingWallet>;
}
