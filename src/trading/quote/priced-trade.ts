// A trade priced on one state of the chain: created by pricing, used by quote and build.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { TradeSwaps } from '../../chains/chain-transactions.ts';
import type { Priority } from '../../chains/priority.ts';
import type { SwapCost } from '../../chains/transaction-costs.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeSide } from '../../model/market-record.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { TokenSafety } from '../graph/safety-cache.ts';
import type { AutoSlippage } from './auto-slippage.ts';

/** Validated input of quote and build. */
export interface TradeRequest {
  readonly chain: ChainSlug;
  /** The token that is bought or sold; the codec's `native` is the native coin. */
  readonly mint: Address;
  readonly side: TradeSide;
  /** What it is bought with or sold for; the codec's `native` is the native coin. */
  readonly quoteMint: Address;
  /** Which amount is given: what is spent, or what is received. */
  readonly fixed: 'input' | 'output';
  /** In units of that; above zero, below 2^256. */
  readonly amountRaw: bigint;
  /** `auto`: picked from how the pools of the route moved lately. */
  readonly slippageBps: number | 'auto';
  readonly priority: Priority;
}

export interface TradeAsset {
  /** The codec's `native` where it is the native coin itself. */
  readonly token: Address;
  readonly isNative: boolean;
  readonly symbol: string | null;
  /** Null if the contract does not report it. */
  readonly decimals: number | null;
}

export interface TradeHop {
  readonly venue: string;
  readonly pool: PoolDescription;
  /**
   * The pool's own tokens: the native coin where the pool holds it, the wrapped coin elsewhere.
   * Between two hops the router has to wrap or unwrap where they differ.
   */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Of a pair of Solidly's family, or of a pool of Curve that was called; null for others. */
  readonly isStable: boolean | null;
  /** What arrives in the pool, after the token's own tax if any. */
  readonly amountInRaw: bigint;
  /** What the pool pays, before any tax. */
  readonly amountOutRaw: bigint;
  /** If the trade's output is given: what the pool is asked for. */
  readonly askedOutRaw?: bigint;
  /** The whole fee in this direction, including a V4 protocol fee. */
  readonly feePips: number;
  readonly ticksCrossed: number;
  readonly cost: SwapCost;
  /** The contract that holds the pool's tokens. */
  readonly vault: Address;
}

/**
 * A route, as shown. A pool shared by several routes is swapped in once; each route has its part.
 */
export interface TradeLeg {
  readonly shareBps: number;
  readonly hops: readonly TradeHop[];
}

/** Consecutive pools, as executed; each pool is in one swap path, and their order matters. */
export type TradePath = TradeSwaps<TradeHop>;

/** What a token's contract deducts from a transfer, as measured. */
export interface TokenTax {
  readonly token: Address;
  readonly bps: number;
  readonly amountRaw: bigint;
}

export interface TradeFee {
  readonly kind: 'lp' | 'protocol' | 'creator' | 'tokenTax' | 'transfer';
  readonly bps: number;
  readonly amountRaw: bigint;
  readonly token: Address;
}

export const WARNING_CODES = [
  'PRICE_IMPACT_HIGH',
  'THIN_LIQUIDITY',
  'STALE_HEAD',
  'FRESH_TOKEN',
  'LOOKALIKE',
  'TAXED_TOKEN',
  'UNSELLABLE',
  'SAFETY_UNKNOWN',
  'SAFETY_STALE',
  'SELL_GAS_HIGH',
  'HOOKED_POOL',
  'TICKS_UNKNOWN',
  'POOLS_UNREAD',
  'UNCHECKED_POOL',
  'PRICE_UNBOUNDED',
  'SLIPPAGE_HIGH',
  'NETWORK_COST_UNKNOWN',
  'LEFTOVER_TOKENS',
  'INPUT_SPENT_WHOLE',
  'NO_DEADLINE',
  'MINT_AUTHORITY',
  'FREEZE_AUTHORITY',
  'PERMANENT_DELEGATE',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface TradeWarning {
  readonly code: WarningCode;
  readonly message: string;
}

export interface PricedTrade {
  readonly request: TradeRequest;
  /** What is spent and what is received. */
  readonly tokenIn: TradeAsset;
  readonly tokenOut: TradeAsset;
  readonly amountInRaw: bigint;
  /** As requested, or as picked. */
  readonly slippageBps: number;
  /** What it was picked from; null if it was requested. */
  readonly autoSlippage: AutoSlippage | null;
  /** The maximum after slippage; the same as `amountInRaw` if that is given. */
  readonly maxAmountInRaw: bigint;
  /** What the wallet receives, after every fee and tax. */
  readonly amountOutRaw: bigint;
  /** The minimum after slippage; what was asked for if the output is given. */
  readonly minAmountOutRaw: bigint;
  /**
   * What the pools' formulas said would be received, or spent if the output is given, where a
   * simulation was better and the amounts are its own.
   */
  readonly modelRaw?: bigint;
  readonly legs: readonly TradeLeg[];
  readonly swapPaths: readonly TradePath[];
  /** The name of the router that executes them; null if the chain has only one. */
  readonly router: string | null;
  /**
   * If the output is given: whether the router is told what to spend all the same. Then it spends
   * `amountInRaw`, whatever that buys.
   */
  readonly isInputGiven: boolean;
  /** Deducted when the input is sent to the pool, and when the pool pays; null if nothing is. */
  readonly taxIn: TokenTax | null;
  readonly taxOut: TokenTax | null;
  /** Whether nobody vouches for what is received: routers that can hold it until all is there. */
  readonly holdsOutput: boolean;
  readonly fees: readonly TradeFee[];
  /** Quote asset per token in whole units, 18 significant digits; null without decimals. */
  readonly spotPrice: string | null;
  readonly executionPrice: string | null;
  /** How far the trade itself moves the price, without fees and taxes. */
  readonly priceImpactBps: number;
  /** What the swap alone uses, by model; preparatory transactions are extra. */
  readonly costUnits: bigint;
  /** The length of that transaction, by model. */
  readonly dataBytes: number;
  /**
   * The value of a cost unit that the route was chosen with, in units of the output, or of the
   * input if the output is given; null if unknown.
   */
  readonly outPerUnit: Ratio | null;
  /** Null until the node has reported its fees. */
  readonly networkFees: NetworkFees | null;
  readonly tokenSafety: TokenSafety | null;
  /** The committed state that all of this reflects. */
  readonly state: {
    readonly block: number;
    readonly blockHash: string;
    readonly timestampMs: number;
  };
  readonly exact: boolean;
  /**
   * Set if it is not exact for the only reason that a fee is not certain: `timed` if a fee depends
   * on the block's time, `silent` if one may have changed without an event. A simulation that pays
   * the same shows that the fees are right.
   */
  readonly openFee: 'timed' | 'silent' | null;
  readonly warnings: readonly TradeWarning[];
}

/** Who requests a price: searches of different callers are served in turn. */
export interface TradeCaller {
  readonly key: string;
  readonly identity: Identity;
  /** Returns a signal that aborts when the caller disconnects. */
  readonly watch?: (() => AbortSignal) | undefined;
  /**
   * Charges in advance for a search that exceeds the operation's cost. Throws if the budget is too
   * small; returns what was charged, which may be less.
   */
  chargeAhead(cost: number): number;
  /** Charges for such a search after it is done; a negative cost is refunded. */
  charge(cost: number): void;
}

export interface PriceOptions {
  /**
   * The value of a cost unit to choose the route with, instead of the current one: with that of an
   * earlier price, the same pools give the same route.
   */
  readonly outPerUnit?: PricedTrade['outPerUnit'] | undefined;
  /** The maximum that the trade may use by model, if that is less than the chain allows. */
  readonly unitsMax?: bigint | undefined;
  /** Whether only routers may be used whose own contracts were executed. */
  readonly isProvenOnly?: boolean | undefined;
  /** If the output is given: what a quote has promised that the trade spends at most. */
  readonly amountInMax?: bigint | undefined;
  /** The name of the only router that may be used. */
  readonly router?: string | undefined;
  /** Called when computed routes have been searched; what may follow asks a node, or prices. */
  readonly onSearched?: (() => void) | undefined;
}

/** Throws an `AppError` if the trade cannot be priced. */
export type PriceTrade = (
  request: TradeRequest,
  caller: TradeCaller,
  options?: PriceOptions,
) => Promise<PricedTrade>;
