// Trades as transactions on one chain: what a family encodes, simulates and finds again.

import type { OutputOf } from '../contract/operation.ts';
import type { buildTrade } from '../contract/operations/build-trade.ts';
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
interface TradeSwaps {
  /** A part of the input, a part of what the router holds of an asset, or all that it holds. */
  readonly takes: 'input' | 'part' | 'rest';
  readonly amountInRaw: bigint;
  /** What the last pool is expected to pay, before any tax. */
  readonly amountOutRaw: bigint;
  readonly hops: readonly TradeSwap[];
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
  /** Executed in this order: what one takes of the router, those before it have brought. */
  readonly strands: readonly TradeSwaps[];
  /** What the bought token takes of each transfer from a pool. */
  readonly outputTaxBps: number;
  /** What the trade uses by model, for chains whose nodes cannot simulate. */
  readonly gas: bigint;
}

export interface BuildRequest {
  readonly trade: ExecutableTrade;
  /** The state to simulate on; without a hash whatever block has that number. */
  readonly block: { readonly number: number; readonly hash: string | null };
  readonly nowMs: number;
  /** For how long the trade may be executed, from now or from the chain's newest block. */
  readonly lifeSeconds: number;
}

/** As it is given to the caller: what a wallet of the family signs. */
export type UnsignedTransaction = OutputOf<typeof buildTrade>['transactions'][number];

export interface BuiltTransactions {
  /** In signing order; `purpose` tells the person who signs what it is for. */
  readonly transactions: readonly {
    readonly purpose: string;
    readonly unsigned: UnsignedTransaction;
  }[];
  readonly deadlineSeconds: number;
  /** The most that all of them can cost, in the native coin. */
  readonly feesRaw: bigint;
  /** Null where no node could simulate them. */
  readonly simulation: {
    /** What the wallet received. */
    readonly amountOutRaw: bigint;
    readonly gasUsed: bigint;
    /** Whether the wallet was taken to have what it spends. */
    readonly isBalanceAssumed: boolean;
  } | null;
  /** Who may not yet take what is spent; the transactions put it right. Null where all is well. */
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
  /** Of what is spent; the native balance where that is spent. */
  readonly balanceRaw: bigint;
  /**
   * Encodes a trade and simulates all of its transactions. Null where the block is no longer part
   * of the chain. Throws `SIMULATION_REVERTED` where one of them would fail.
   */
  build(request: BuildRequest): Promise<BuiltTransactions | null>;
}

export interface MinedTransaction {
  readonly state: 'mined';
  readonly isReverted: boolean;
  readonly block: BlockHeader;
  /** Ids in what it logged that may name pools; those that do not are ignored. */
  readonly poolCandidates: readonly PoolId[];
}

/** What became of a transaction, as far as any node knows. */
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
  /** False where no router is known. */
  readonly canBuild: boolean;
  /** The position of the newest block of a node. */
  readHead(): Promise<number>;
  readTransaction(id: TransactionId): Promise<TransactionFate>;
  /** `tokenIn` is what the wallet will spend. */
  readWallet(wallet: Address, tokenIn: Address): Promise<TradingWallet>;
}
