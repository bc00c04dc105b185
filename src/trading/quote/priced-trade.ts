// A trade priced on one state of the chain: created by pricing, used by quote and build.

import type { TransferParts } from '../../amm/swap-pool.ts';
import { isFeeCertain, type PoolTransferFees } from '../../amm/transfer-fee.ts';
import { hasFlag, isOnlyFeeOpen, joinFlags } from '../../amm/unchecked-flag.ts';
import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { IntegratorFee, TradeSwaps } from '../../chains/chain-transactions.ts';
import type { Priority } from '../../chains/priority.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import type { HopBytes, SwapCost } from '../../chains/transaction-costs.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { TradeSide } from '../../model/market-record.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { mayMoveLater } from '../graph/pool-graph-pool.ts';
import type { TokenSafety } from '../graph/safety-cache.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteLimits } from '../routing/route-limits.ts';
import type { RouteHop } from '../routing/route-swaps.ts';
import type { AutoSlippage } from './auto-slippage.ts';

// The fees that tokens take of their own transfers, where the pools' swaps include them.

/** Whether all fees on the way are certain for as long as the trade may be executed. */
export function areFeesCertain(hops: readonly RouteHop[], block: number): boolean {
  return hops.every(({ pool: { transferFees } }) => isFeeCertain(transferFees, block));
}

/** What a token deducts of transfers through a pool; 0 if nothing. */
function findFeeBps(
  pool: {
    readonly token0: Address;
    readonly token1: Address;
    readonly transferFees?: PoolTransferFees;
  },
  isToken: (token: Address) => boolean,
): number {
  const { fee0, fee1 } = pool.transferFees ?? { fee0: null, fee1: null };
  return (isToken(pool.token0) ? fee0 : fee1)?.bps ?? 0;
}

/** What was measured, with the fee of the token's own transfers: it is deducted both ways. */
export function addTransferFee(
  safety: TokenSafety | null,
  graph: Pick<PoolGraph, 'get'>,
  of: { readonly pools: Iterable<PoolId>; readonly isToken: (token: Address) => boolean },
): TokenSafety | null {
  if (safety === null) return null;
  let feeBps = 0;
  for (const id of of.pools) {
    const pool = graph.get(id);
    if (pool !== undefined) feeBps = Math.max(feeBps, findFeeBps(pool, of.isToken));
  }
  if (feeBps === 0) return safety;
  const add = (bps: number | null) => (bps === null ? null : Math.min(10_000, bps + feeBps));
  return {
    ...safety,
    buyTaxBps: add(safety.buyTaxBps),
    sellTaxBps: add(safety.sellTaxBps),
  };
}

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
  /** What the caller allows a route to use; everything if absent. */
  readonly limits?: RouteLimits;
  /** What of the output goes to whoever made the app; nothing if absent. */
  readonly fee?: IntegratorFee;
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
  readonly pool: PoolDescription & Pick<GraphPool, 'hook'>;
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
  readonly bytes: HopBytes;
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

interface TradeFee {
  readonly kind: 'lp' | 'protocol' | 'creator' | 'tokenTax' | 'transfer' | 'integrator';
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
  /** Deducted from what the pools pay; `amountOutRaw` is what is left. Null if nothing is. */
  readonly integratorFee: (IntegratorFee & { readonly amountRaw: bigint }) | null;
  /** Whether nobody vouches for what is received: routers that can hold it until all is there. */
  readonly holdsOutput: boolean;
  readonly fees: readonly TradeFee[];
  /** Quote asset per token in whole units, 18 significant digits; null without decimals. */
  readonly spotPrice: string | null;
  readonly executionPrice: string | null;
  /** How far the trade itself moves the price, without fees and taxes. */
  readonly priceImpactBps: number;
  /** Prices by the last trades of whole units, in USD; null if they are not known. */
  readonly marketUsd: { readonly token: string | null; readonly quote: string | null };
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

export interface JointRouters {
  /** What the routers reach together. */
  readonly venues: ReadonlySet<string>;
  /** All of them if absent. */
  readonly pools?: ReadonlySet<PoolId> | undefined;
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
  /** Whether the wallet signs a permit: routers for given outputs alone would need an approval. */
  readonly isPermitted?: boolean | undefined;
  /** If the output is given: what a quote has promised that the trade spends at most. */
  readonly amountInMax?: bigint | undefined;
  /** The name of the only router that may be used. */
  readonly router?: string | undefined;
  /** Routers to search as if they were one, and the only pools to use; nobody can execute that. */
  readonly joint?: JointRouters | undefined;
  /** Called when computed routes have been searched; what may follow asks a node, or prices. */
  readonly onSearched?: (() => void) | undefined;
}

/** Throws an `AppError` if the trade cannot be priced. */
export type PriceTrade = (
  request: TradeRequest,
  caller: TradeCaller,
  options?: PriceOptions,
) => Promise<PricedTrade>;

// The fees of a trade, summed up by kind and token.

const PIPS = 1_000_000;

/**
 * The protocol's own part of a V4 swap, from `fee = p + l − ⌊p·l/1e6⌋`. V3's comes out of the
 * liquidity providers' fee and is not visible.
 */
function computeProtocolPips({ pool, zeroForOne }: RouteHop): number {
  const whole = pool.curve.feePips(zeroForOne);
  if (whole <= pool.feePips || pool.feePips >= PIPS) return 0;
  return Math.round(((whole - pool.feePips) * PIPS) / (PIPS - pool.feePips));
}

const NO_TRANSFERS: TransferParts = { inRaw: 0n, outRaw: 0n };

interface Sum {
  readonly kind: 'lp' | 'protocol' | 'transfer';
  readonly token: Address;
  amountRaw: bigint;
  ofRaw: bigint;
}

/** A part of a whole, in basis points with two decimals. */
function computeBps(amountRaw: bigint, ofRaw: bigint): number {
  return ofRaw === 0n ? 0 : Number((amountRaw * 2_000_000n + ofRaw) / (2n * ofRaw)) / 100;
}

function toTaxFee(tax: TokenTax): TradeFee {
  return { kind: 'tokenTax', bps: tax.bps, amountRaw: tax.amountRaw, token: tax.token };
}

export function listFees(
  route: BestRoute,
  taxes: { readonly in: TokenTax | null; readonly out: TokenTax | null },
): readonly TradeFee[] {
  const sums = new Map<string, Sum>();
  const add = (kind: Sum['kind'], token: Address, amounts: { raw: bigint; of: bigint }) => {
    const key = `${kind} ${token}`;
    const sum = sums.get(key) ?? { kind, token, amountRaw: 0n, ofRaw: 0n };
    sum.amountRaw += amounts.raw;
    sum.ofRaw += amounts.of;
    sums.set(key, sum);
  };
  for (const { hops } of route.swapPaths) {
    for (const hop of hops) {
      const pips = computeProtocolPips(hop);
      const protocol = (hop.amountIn * BigInt(pips)) / BigInt(PIPS);
      const token = hop.tokenIn;
      add('lp', token, { raw: hop.feeAmount - protocol, of: hop.amountIn });
      if (pips > 0) add('protocol', token, { raw: protocol, of: hop.amountIn });
      const { inRaw, outRaw } =
        hop.pool.curve.splitTransfers?.(hop.zeroForOne, hop) ?? NO_TRANSFERS;
      if (inRaw > 0n) add('transfer', token, { raw: inRaw, of: hop.amountIn });
      if (outRaw > 0n) add('transfer', hop.tokenOut, { raw: outRaw, of: hop.amountOut + outRaw });
    }
  }
  const fees: TradeFee[] = [...sums.values()].map(({ kind, token, amountRaw, ofRaw }) => ({
    kind,
    token,
    amountRaw,
    bps: computeBps(amountRaw, ofRaw),
  }));
  if (taxes.in !== null) fees.push(toTaxFee(taxes.in));
  if (taxes.out !== null) fees.push(toTaxFee(taxes.out));
  return fees;
}

export function listIntegratorFee(
  fee: PricedTrade['integratorFee'],
  token: Address,
): readonly TradeFee[] {
  if (fee === null) return [];
  return [{ kind: 'integrator', bps: fee.bps, amountRaw: fee.amountRaw, token }];
}

// A found route as legs to show, and as swap paths to execute.

const BPS = 10_000n;

function toHop(hop: RouteHop): TradeHop {
  const { pool, zeroForOne } = hop;
  return {
    venue: pool.venue,
    pool,
    tokenIn: hop.tokenIn,
    tokenOut: hop.tokenOut,
    isStable: pool.curve.isStable ?? null,
    amountInRaw: hop.amountIn,
    amountOutRaw: hop.amountOut,
    ...(hop.askedOut === undefined ? {} : { askedOutRaw: hop.askedOut }),
    feePips: pool.curve.feePips(zeroForOne),
    ticksCrossed: hop.ticksCrossed,
    cost: pool.cost,
    bytes: pool.bytes,
    vault: pool.vault,
  };
}

/** Splits a whole by weights; the first part gets the rounding remainder. */
function divide(whole: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const parts = weights.map((weight) => (whole * weight) / total);
  const given = parts.reduce((sum, part) => sum + part, 0n);
  return parts.map((part, index) => (index === 0 ? part + whole - given : part));
}

export function buildTradeLegs(route: BestRoute): readonly TradeLeg[] {
  const shares = divide(
    BPS,
    route.legs.map(({ amountIn }) => amountIn),
  );
  return route.legs.map((leg, index) => ({
    shareBps: Number(shares[index] ?? 0n),
    hops: leg.hops.map(toHop),
  }));
}

/** `sentRaw` is what leaves the wallet: more than the pools receive if the token is taxed. */
export function buildTradePaths(route: BestRoute, sentRaw: bigint): readonly TradePath[] {
  const firsts = route.swapPaths.filter(({ takes }) => takes === 'input');
  const arriving = firsts.map(({ amountIn }) => amountIn);
  const sent = route.amountIn === sentRaw ? arriving : divide(sentRaw, arriving);
  const sentInto = new Map(firsts.map((swapPath, index) => [swapPath, sent[index] ?? 0n]));
  return route.swapPaths.map((swapPath) => ({
    takes: swapPath.takes,
    amountInRaw: sentInto.get(swapPath) ?? swapPath.amountIn,
    amountOutRaw: swapPath.amountOut,
    hops: swapPath.hops.map(toHop),
  }));
}

// Which of a route's fees are not certain, and whether only they keep it from being exact.

type RoutePool = Pick<GraphPool, 'inexact' | 'unchecked' | 'hook'>;

interface HopEnds {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

const SILENT = joinFlags(['unannouncedFee']);

/** What the router leaves open: nothing where one pool pays the wallet itself. */
export function findRouterFlags(
  router: Pick<TradeRouter, 'keepsUnit'> | undefined,
  { hops, tokenIn, tokenOut }: HopEnds & { readonly hops: readonly HopEnds[] },
): string {
  if (router?.keepsUnit !== true) return '';
  const [first, ...others] = hops;
  const isDirect = others.length === 0 && first?.tokenIn === tokenIn && first.tokenOut === tokenOut;
  return isDirect ? '' : joinFlags(['routerUnit']);
}

/**
 * What is uncertain about what the pools pay, as names of `UncheckedFlag`; empty if nothing is.
 * `isFeeSure` is null for a pool whose fee is not read.
 */
export function listOpenFlags<Pool extends RoutePool>(
  pools: readonly Pool[],
  isFeeSure: (pool: Pool) => boolean | null,
): string {
  return pools
    .flatMap((pool) => {
      const flags = pool.inexact === 'unchecked' ? (pool.unchecked ?? '') : '';
      if (pool.inexact === null) return isFeeSure(pool) === false ? [SILENT] : [];
      // A reading shows as much as a swap that paid the fee.
      return flags === SILENT && isFeeSure(pool) === true ? [] : [flags];
    })
    .filter((flags) => flags !== '')
    .join(' ');
}

/** Whether pools, in order of execution, are known in full, and no hook changes what they pay. */
export function areKnown(pools: readonly RoutePool[]): boolean {
  const isKnown = ({ inexact }: RoutePool) => inexact === null || inexact === 'unchecked';
  return pools.every(isKnown) && !mayMoveLater(pools);
}

/** Null if the route is exact, or is not exact for another reason. */
export function findOpenFee(
  pools: readonly RoutePool[],
  openFlags: string,
): PricedTrade['openFee'] {
  if (openFlags === '' || !isOnlyFeeOpen(openFlags) || !areKnown(pools)) return null;
  const isTimed = hasFlag(openFlags, 'timedFee') || hasFlag(openFlags, 'pluginFee');
  return isTimed ? 'timed' : 'silent';
}
