// Trades as transactions on one chain: what a family encodes, simulates and finds again.

import type {
  Permit,
  UnsignedTransaction,
  WalletCalls,
} from '../contract/schemas/transaction-schemas.ts';
import { AppError } from '../errors/app-error.ts';
import type { BlockHeader } from '../model/block-header.ts';
import type { Address, PoolId, TransactionId } from '../model/ids.ts';
import type { PoolDescription } from '../model/pool.ts';
import type { PaidTips, Priority } from './priority.ts';

/** One swap of a trade. */
export interface TradeSwap {
  readonly pool: PoolDescription;
  /** The pool's own tokens: the native coin or the wrapped one, whichever it holds. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /**
   * Whether a pair of Solidly's family is a stable one, or a pool of Curve is called as one; null
   * for other pools.
   */
  readonly isStable?: boolean | null;
  /** What the pool takes and pays by the price; for families without a router. */
  readonly amountInRaw?: bigint;
  readonly amountOutRaw?: bigint;
  /** If the trade's output is given: what the pool is asked for. */
  readonly askedOutRaw?: bigint;
}

/** Swaps in a row. */
export interface TradeSwaps<Swap = TradeSwap> {
  /** A part of the input, a part of what the router holds of an asset, or all that it holds. */
  readonly takes: 'input' | 'part' | 'rest';
  /** The inputs of the swap paths that take the trade's input add up to it, to the unit. */
  readonly amountInRaw: bigint;
  /** What the last pool is expected to pay, before any tax. */
  readonly amountOutRaw: bigint;
  readonly hops: readonly Swap[];
}

/** A part of the output that goes to whoever made the app. */
export interface IntegratorFee {
  readonly bps: number;
  readonly recipient: Address;
}

/** A priced trade, ready to be encoded. */
export interface ExecutableTrade {
  /** Which amount is given: what is spent, or what is received. */
  readonly fixed: 'input' | 'output';
  /** What the wallet spends and receives; the family's native asset is the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountInRaw: bigint;
  /** If the output is given: whether `amountInRaw` is spent all the same, whatever that buys. */
  readonly isInputGiven?: boolean;
  /** If more would be spent, the trade must fail. */
  readonly maxAmountInRaw: bigint;
  readonly amountOutRaw: bigint;
  /** If less would arrive, the trade must fail. */
  readonly minAmountOutRaw: bigint;
  /** In execution order: a swap path takes from the router what earlier ones have paid. */
  readonly swapPaths: readonly TradeSwaps[];
  /** What the bought token deducts from each transfer from a pool. */
  readonly outputTaxBps: number;
  /**
   * Whether nobody vouches for the bought token: a router that compares what pools send, not what
   * arrives, then holds the output and forwards it if the minimum is there. False if absent.
   */
  readonly holdsOutput?: boolean;
  /**
   * Paid of the output by the same transaction, before the minimum is compared: all amounts here
   * are what is left, those of the swap paths are before it.
   */
  readonly fee?: (IntegratorFee & { readonly amountRaw: bigint }) | null;
  /** The name of the router that reaches all of its pools; null if the chain has only one. */
  readonly router: string | null;
  /** What the trade uses by model, for chains whose nodes cannot simulate. */
  readonly costUnits: bigint;
  /** Whether only the contract of one of its pools computes what it pays. */
  readonly isQuotedOnChain?: boolean;
  /** Whether its pools charge fees that depend on the block's time. */
  readonly isTimed?: boolean;
}

/** The terms of a permit: a signed message that lets a router take a wallet's tokens. */
export interface PermitTerms {
  /** Whose: Permit2's, or the token's own in one of two forms. DAI's names no amount. */
  readonly form: 'permit2' | 'eip2612' | 'dai';
  /** The name of the router that it is for. */
  readonly router: string;
  readonly amountRaw: bigint;
  /** A permit can be used once: the contract counts them. */
  readonly nonce: number;
  /** Until when both signature and allowance are valid, in Unix seconds. */
  readonly deadlineSeconds: number;
}

export interface SignedPermit extends PermitTerms {
  /** `0x` and hex digits; not checked. */
  readonly signature: string;
}

export interface BuildRequest {
  readonly trade: ExecutableTrade;
  /** How the router gets to take what is spent: by transactions, or by a signed message. */
  readonly approval: 'onchain' | 'permit';
  /** The state to simulate on; without a hash, any block at that position. */
  readonly block: { readonly position: number; readonly hash: string | null };
  readonly nowMs: number;
  readonly priority: Priority;
  /** On Solana: paid to Jito's validators in the same transaction; nothing if absent. */
  readonly tipRaw?: bigint | undefined;
  /** For how long the trade may be executed, from now or from the chain's newest block. */
  readonly lifeSeconds: number;
}

/** What somebody may do to the tokens of all holders. */
export interface TokenPowers {
  readonly canMint: boolean;
  readonly canFreeze: boolean;
  /** Move or burn them. */
  readonly canTake: boolean;
}

/** In the native coin, but for the units. */
interface BuiltCost {
  readonly units: bigint;
  readonly unitPrice: bigint;
  readonly baseRaw: bigint;
  readonly priorityRaw: bigint;
  /** For accounts that are opened and stay. */
  readonly rentRaw: bigint;
  /** For accounts that are opened and closed again. */
  readonly rentReturnedRaw: bigint;
  readonly tipRaw?: bigint;
}

export interface BuiltTransactions {
  /** In signing order; `purpose` is shown to the person who signs. */
  readonly transactions: readonly {
    readonly purpose: string;
    readonly unsigned: UnsignedTransaction;
  }[];
  /** Null if they end at a height of the chain, which is in each of them. */
  readonly deadlineSeconds: number | null;
  /** The most that all of them can cost, in the native coin. */
  readonly feesRaw: bigint;
  /** Its parts, where they are known better than by model. */
  readonly cost?: BuiltCost;
  /** Null if no node could simulate them. */
  readonly simulation: {
    /** What the wallet received. */
    readonly amountOutRaw: bigint;
    /** What it spent, if the output is given. */
    readonly amountInRaw?: bigint | undefined;
    readonly unitsUsed: bigint;
    /** Whether the simulation gave the wallet a balance that it does not have. */
    readonly isBalanceAssumed: boolean;
    /** The time of the simulated block, if the trade depends on it and the node took it over. */
    readonly timeSeconds?: number | undefined;
    /** Set if it ran on a later block than was asked for, and paid something else there. */
    readonly laterBlock?: number;
  } | null;
  /** By token of the two ends: what others may do to it. Absent where tokens have no such roles. */
  readonly powers?: ReadonlyMap<Address, TokenPowers>;
  /** An allowance that is too low; the transactions raise it. Null if it suffices. */
  readonly allowance: {
    readonly spender: Address;
    readonly requiredRaw: bigint;
    readonly actualRaw: bigint;
  } | null;
  /**
   * What the wallet must sign before the swap can be built: `transactions` are then only what comes
   * before it, and the simulation assumed it. Null if nothing is missing.
   */
  readonly permit: {
    readonly purpose: string;
    readonly terms: PermitTerms;
    readonly message: Permit;
  } | null;
  /** The same transactions for wallets that execute several at once; null if they cannot. */
  readonly walletCalls: WalletCalls | null;
}

/** A trade that would fail because it needs more than one transaction may use. */
export class OutOfRoomError extends AppError<'SIMULATION_REVERTED'> {
  constructor(unitName: string) {
    const reason = `the transaction needs more ${unitName} than one may use`;
    super('SIMULATION_REVERTED', { step: 'swap', reason });
  }
}

/** A permit that can no longer be used. */
export class OutdatedPermitError extends AppError<'PERMIT_OUTDATED'> {
  constructor(reason: string) {
    const message = `is of a permit that ${reason}`;
    super('PERMIT_OUTDATED', { reason }, { errors: [{ path: 'permitSignature', message }] });
  }
}

/** No node could simulate the trade, and its router was never executed: nothing is built on it. */
export class UnprovenRouterError extends Error {
  override readonly name = 'UnprovenRouterError';
  /** Where it trades. */
  readonly venues: readonly string[];

  constructor(venues: Iterable<string>) {
    super('no node could simulate a trade through a router that was never executed');
    this.venues = [...venues];
  }
}

/** Several trades as one batch that a wallet executes as a whole or not at all. */
export interface BuiltBatch {
  readonly walletCalls: WalletCalls;
  /** What the wallet received and what all calls used, when they were simulated in a row. */
  readonly amountOutRaw: bigint;
  readonly unitsUsed: bigint;
  readonly deadlineSeconds: number;
}

/** A wallet as of the newest block. */
export interface TradingWallet {
  readonly head: BlockHeader;
  readonly nativeRaw: bigint;
  /** The balance of the input token; the native balance if that is the input. */
  readonly balanceRaw: bigint;
  /**
   * Encodes a trade and simulates all of its transactions. Null if the block is no longer part of
   * the chain. Throws `SIMULATION_REVERTED` if one of them would fail, as an `OutOfRoomError`
   * if the trade is too large for a transaction, and an `UnprovenRouterError`.
   */
  build(request: BuildRequest): Promise<BuiltTransactions | null>;
  /**
   * Trades of the same two tokens, each through its own router and with its own minimum. Null if
   * one would fail, or if no node could simulate them. Absent if the chain has no such batches.
   */
  buildBatch?(requests: readonly BuildRequest[]): Promise<BuiltBatch | null>;
}

/** How much more a wallet has of a token or of the native coin; negative if it has less. */
export interface BalanceChange {
  readonly token: Address;
  readonly deltaRaw: bigint;
}

export interface MinedTransaction {
  readonly state: 'mined';
  readonly isReverted: boolean;
  /** Why it failed, in the program's words; absent if the chain does not tell. */
  readonly reason?: string;
  readonly block: BlockHeader;
  /** Ids in its logs that may be pools; others are ignored. */
  readonly poolCandidates: readonly PoolId[];
  /**
   * What it changed of the wallet that sent it, without the fee. The native coin is absent if its
   * change is not known.
   */
  readonly changes: readonly BalanceChange[];
}

interface UnknownTransaction {
  readonly state: 'unknown';
  /**
   * On a chain whose transactions expire at a height, and whose nodes do not tell of those that
   * wait: it is in no final block up to this height.
   */
  readonly searchedHeight?: number;
}

/** The status of a transaction, as far as any node knows. */
export type TransactionFate = UnknownTransaction | { readonly state: 'pending' } | MinedTransaction;

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
  /** Whether what others pay depends on the pools that a transaction uses; false if absent. */
  readonly locksAccounts?: boolean;
  /** What others have paid lately, of those who used any of the pools if some are given. */
  readPaidTips(pools: readonly PoolDescription[]): Promise<PaidTips>;
  /**
   * `tokenIn` is what the wallet will spend. Throws an `AppError` that names `permitSignature` if
   * the permit is not the wallet's, has expired, or was used.
   */
  readWallet(
    wallet: Address,
    tokenIn: Address,
    permit?: SignedPermit | null,
  ): Promise<TradingWallet>;
}
