// Whether a pool that answers by calls is the better route, and that route.

import { findRank, RANK_STABLE } from '../../chains/quote-rule.ts';
import { AppError } from '../../errors/app-error.ts';
import { maxOf } from '../../lib/bigint-bounds.ts';
import { pow10, type Ratio, textToDecimal, toRatio } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { GraphAtCommit } from '../graph/pool-graph-follower.ts';
import type { TaxedRoute, TradeSearch } from '../routing/find-trade-route.ts';
import { allowsVenue, NO_LIMITS } from '../routing/route-limits.ts';
import { isUntaxed, listEndTaxes } from '../routing/trade-plan.ts';
import { computePriceImpactBps } from '../routing/trade-prices.ts';
import type { OnChainAnswer, OnChainRoute } from './on-chain-quotes.ts';
import type { PriceOptions, TradeRequest } from './priced-trade.ts';
import type { TradeChain } from './trade-chain.ts';

interface OnChainQuestion {
  /** What is computed. */
  readonly searched: TradeSearch;
  readonly request: TradeRequest;
  readonly options: PriceOptions;
  readonly caller: string;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly isPaused: (token: Address) => boolean;
  readonly at: GraphAtCommit;
}

type OnChainSearch =
  | { readonly kind: 'found'; readonly found: TaxedRoute }
  | Exclude<OnChainAnswer, { readonly kind: 'found' }>;

interface Ends {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

/** From this price impact on, pools are called, too. */
const IMPACT_HIGH_BPS = 300;
/** How much better such a pool must pay, in per cent: nothing is promised of it. */
const BETTER_PCT = 2n;
/** How much above the known price an answer is still believed, in per cent. */
const ABOVE_PCT_MAX = 5n;
/** The least part of the known price that a small trade must pay: 100 is all of it. */
const PRICE_PCT_MIN = 50n;
const BPS = 10_000n;
const NO_TAXES = { inBps: 0, outBps: 0 };
const NONE = { kind: 'none' } as const;
const RETRY_AFTER_SECONDS = 1;

function toTaxedRoute(called: OnChainRoute, amountIn: bigint): TaxedRoute {
  const { pool, zeroForOne, amountOut, router } = called;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  const amounts = { amountIn, amountOut };
  const hops = [
    { pool, zeroForOne, tokenIn, tokenOut, ...amounts, feeAmount: 0n, ticksCrossed: 0 },
  ];
  const route = {
    ...{ ...amounts, cost: 0n, exact: false },
    swapPaths: [{ takes: 'input' as const, ...amounts, hops }],
    legs: [{ ...amounts, hops }],
  };
  return { route, taxes: NO_TAXES, router, amountOut };
}

/** Whether what is computed is not good enough, and a called pool could be used at all. */
function mayCall(chain: TradeChain, question: OnChainQuestion): boolean {
  const { searched, request, options, tokenIn, tokenOut, isPaused, at } = question;
  // What was never computed is built on only after a simulation, and its cost is not known.
  if (request.fixed !== 'input' || options.isProvenOnly === true) return false;
  if (options.joint !== undefined) return false;
  // Few of their routers pay fees.
  if (options.unitsMax !== undefined || request.fee !== undefined) return false;
  if (searched.kind === 'none' && searched.reason === 'taxedRouter') return false;
  const isGood =
    searched.kind === 'found' && computePriceImpactBps(searched.found.route) < IMPACT_HIGH_BPS;
  if (isGood) return false;
  // Their routers cannot trade taxed tokens, nor does their answer include a tax.
  const { graph } = at;
  const assets = { assetIn: graph.toAsset(tokenIn), assetOut: graph.toAsset(tokenOut) };
  const { safetyCache, trusted } = chain;
  return listEndTaxes({ graph, safetyCache, trusted, isPaused, ...assets }).every(isUntaxed);
}

/** Of one raw unit, in 10^-decimals USD. */
function findPrice(chain: TradeChain, token: Address, row: TokenRecord | undefined): Ratio | null {
  if (row === undefined || row.decimals === null) return null;
  const isStable = findRank(chain.assets, token) === RANK_STABLE;
  const text = row.priceUsd ?? (isStable ? '1' : null);
  if (text === null) return null;
  const { numerator, denominator } = toRatio(textToDecimal(text));
  return numerator === 0n ? null : { numerator, denominator: denominator * pow10(row.decimals) };
}

/** What the whole amount would pay at the prices of the last trades. */
async function readLastOut(
  chain: TradeChain,
  { tokenIn, tokenOut }: Ends,
  amountRaw: bigint,
): Promise<bigint | null> {
  const rows = await chain.tokens.read([tokenIn, tokenOut]);
  const paid = findPrice(chain, tokenIn, rows.get(tokenIn));
  const got = findPrice(chain, tokenOut, rows.get(tokenOut));
  if (paid === null || got === null) return null;
  const worth = amountRaw * paid.numerator * got.denominator;
  return worth / (paid.denominator * got.numerator);
}

/** What the whole amount would pay at the price of the computed route, without its impact. */
function computeRouteOut(searched: TradeSearch): bigint | null {
  if (searched.kind !== 'found') return null;
  const { route } = searched.found;
  const left = BPS - BigInt(computePriceImpactBps(route));
  return left <= 0n ? null : (route.amountOut * BPS) / left;
}

/**
 * What the whole amount would pay at the price of a pool between the two, without impact, where a
 * hook decides what swaps pay: the pool itself is known like any other.
 */
function computeHookedOut({ graph }: GraphAtCommit, ends: Ends, amountIn: bigint): bigint | null {
  const assetIn = graph.toAsset(ends.tokenIn);
  const outs = [...graph.between(assetIn, graph.toAsset(ends.tokenOut))].flatMap((id) => {
    const pool = graph.get(id);
    if (pool?.inexact !== 'hook') return [];
    const { numerator, denominator } = pool.curve.midPrice(graph.toAsset(pool.token0) === assetIn);
    return denominator === 0n ? [] : [(amountIn * numerator) / denominator];
  });
  return outs.length === 0 ? null : outs.reduce(maxOf);
}

/**
 * Whether the pool's price is far below the known one. The trade's own minimum follows from the
 * answer, so it does not protect from that. The impact of the amount is for the caller to judge.
 */
function isFarBelow(
  { pool, zeroForOne }: OnChainRoute,
  amountIn: bigint,
  fairOut: bigint,
): boolean {
  const { numerator, denominator } = pool.curve.midPrice(zeroForOne);
  return amountIn * numerator * 100n < fairOut * denominator * PRICE_PCT_MIN;
}

function computeMost(fairOut: bigint): bigint {
  return (fairOut * (100n + ABOVE_PCT_MAX)) / 100n;
}

/**
 * Whether something that the pool has no part in shows its price: a computed route, or that both
 * tokens are money. The last trades of a token may all have been in this very pool.
 */
function isBounded(
  { trusted }: TradeChain,
  { tokenIn, tokenOut }: Ends,
  of: { readonly route: OnChainRoute; readonly amountIn: bigint; readonly routeOut: bigint | null },
): boolean {
  if (trusted.has(tokenIn) && trusted.has(tokenOut)) return true;
  const { route, amountIn, routeOut } = of;
  if (routeOut === null || isFarBelow(route, amountIn, routeOut)) return false;
  return route.amountOut <= computeMost(routeOut);
}

/** Nothing is found if what is computed is good enough, or no called pool pays more. */
export async function findOnChainRoute(
  chain: TradeChain,
  question: OnChainQuestion,
): Promise<OnChainSearch> {
  const { wrapped, addresses, quoteOnChain } = chain;
  const { searched, request, options, caller, tokenIn, tokenOut, at } = question;
  if (quoteOnChain === undefined || !mayCall(chain, question)) return NONE;
  const toHeld = (token: Address) => (token === addresses.native ? wrapped : token);
  const ends = { tokenIn: toHeld(tokenIn), tokenOut: toHeld(tokenOut) };
  const amountIn = request.amountRaw;
  const routeOut = computeRouteOut(searched);
  const lastOut = await readLastOut(chain, ends, amountIn);
  const fairOut = lastOut ?? routeOut ?? computeHookedOut(at, ends, amountIn);
  // Nothing would show that an answer is nonsense.
  if (fairOut === null) return NONE;
  const { block, timestampMs: headMs } = at.checkpoint;
  const answer = await quoteOnChain({
    ...{ caller, ...ends, ends: [tokenIn, tokenOut], amountIn, router: options.router },
    ...{ block, headMs },
    isAllowed: (venue) => allowsVenue(request.limits ?? NO_LIMITS, venue),
    amountOutMax: computeMost(fairOut),
  });
  if (answer.kind !== 'found') return answer;
  const { route } = answer;
  if (isFarBelow(route, amountIn, fairOut)) return NONE;
  const least = searched.kind === 'found' ? searched.found.amountOut : 0n;
  const isBetter = route.amountOut * 100n > least * (100n + BETTER_PCT);
  if (!isBetter) return NONE;
  const isPriceUnbounded = !isBounded(chain, ends, { route, amountIn, routeOut });
  return { kind: 'found', found: { ...toTaxedRoute(route, amountIn), isPriceUnbounded } };
}

/** There may be a route, which only a later request will find. */
export function buildNotQuotedError(chain: TradeChain, kind: 'busy' | 'failed'): AppError {
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  if (kind === 'busy') return new AppError('OVERLOADED', {}, retry);
  const upstream = `The node of ${chain.slug}, which is needed to price this trade,`;
  return new AppError('UPSTREAM_UNAVAILABLE', { upstream }, retry);
}
