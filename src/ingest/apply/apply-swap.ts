// Applies a swap: the pool's new state, and its trades.

import { type MarketView, RANK_TOKEN } from '../../chains/quote-rule.ts';
import { compareTexts } from '../../lib/decimal.ts';
import type { SwapEvent } from '../../model/block-events.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import { findAnchorPrice } from '../state/anchor-price.ts';
import type { MarketState, PoolEntry, TokenEntry } from '../state/market-state.ts';
import { priceTrade, type TradePrices } from '../state/price-trade.ts';
import { openTokenEntry } from '../state/token-entry.ts';
import { applyPoolChange } from './apply-pool-event.ts';
import type { BlockExamination } from './examine-block.ts';

/** Trades below this value are dust; if the value is unknown, amounts below this many raw units. */
const DUST_USD = '0.01';
const DUST_RAW = 1000n;

/**
 * Whether the pool neither took nor paid anything. A hook of V4 may have made the whole exchange
 * itself, and a swap in a range without liquidity only moves the price.
 */
function movedNothing({ amount0, amount1 }: SwapEvent): boolean {
  return amount0 === 0n && amount1 === 0n;
}

function applyToPool(state: MarketState, pool: PoolEntry, event: SwapEvent): void {
  state.touchPool(pool);
  if (!movedNothing(event)) pool.row.lastSwapAtMs = state.header.timestampMs;
  const { change } = event;
  if (change !== null) applyPoolChange(state, pool, { change, swapped: event });
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function isDust(amounts: { baseRaw: bigint; quoteRaw: bigint }, valueUsd: string | null): boolean {
  if (amounts.baseRaw === 0n || amounts.quoteRaw === 0n) return true;
  if (valueUsd !== null) return compareTexts(valueUsd, DUST_USD) < 0;
  return amounts.baseRaw < DUST_RAW || amounts.quoteRaw < DUST_RAW;
}

/**
 * A swap between two tokens without a fixed value is valued at the last price of the one with the
 * deeper market elsewhere, so that the other's price follows from it.
 */
function pickValuedSide(
  view: MarketView,
  swap: { base: TokenEntry; quote: TokenEntry; pool: PoolEntry; examination: BlockExamination },
): 'base' | 'quote' {
  if (view.quoteRank !== RANK_TOKEN) return 'quote';
  const { base, quote, examination } = swap;
  if (base.row.priceNative === null) return 'quote';
  if (quote.row.priceNative === null) return 'base';
  const baseDepth = examination.findDepthElsewhere(view.base, swap.pool.row.pool);
  const quoteDepth = examination.findDepthElsewhere(view.quote, swap.pool.row.pool);
  if (baseDepth !== quoteDepth) return baseDepth > quoteDepth ? 'base' : 'quote';
  return view.base < view.quote ? 'base' : 'quote';
}

/** A clean trade sets the token's price; an outlier only if there is none yet. */
function applyToToken(state: MarketState, token: TokenEntry, trade: TradeRecord): void {
  state.touchToken(token);
  const { row } = token;
  row.tradeCount += 1;
  row.lastTradeAtMs = trade.timestampMs;
  if (trade.priceNative !== null && (!trade.outlier || row.priceNative === null)) {
    row.priceNative = trade.priceNative;
  }
  if (trade.priceUsd !== null && (!trade.outlier || row.priceUsd === null)) {
    row.priceUsd = trade.priceUsd;
  }
}

/**
 * A token's trades never go back in time, so that chain order is also candle order. If block times
 * step back (a local node after a reorganisation), the token's time stands still.
 */
function pickTradeTime(state: MarketState, view: MarketView): number {
  const { lastTradeAtMs } = openTokenEntry(state, view.base).row;
  return Math.max(state.header.timestampMs, lastTradeAtMs ?? 0);
}

function priceSwap(
  state: MarketState,
  view: MarketView,
  swap: {
    pool: PoolEntry;
    baseRaw: bigint;
    quoteRaw: bigint;
    oneForOther: boolean;
    examination: BlockExamination;
  },
): TradePrices {
  const base = openTokenEntry(state, view.base);
  const quote = openTokenEntry(state, view.quote);
  return priceTrade({
    view,
    base,
    quote,
    // A swap that took from both sides, or paid to both, has no price.
    baseRaw: swap.oneForOther ? swap.baseRaw : 0n,
    quoteRaw: swap.quoteRaw,
    anchor: findAnchorPrice(state),
    valuedThrough: pickValuedSide(view, {
      base,
      quote,
      pool: swap.pool,
      examination: swap.examination,
    }),
  });
}

function buildTrade(
  state: MarketState,
  view: MarketView,
  swap: { event: SwapEvent; index: number; pool: PoolEntry; examination: BlockExamination },
): TradeRecord {
  const { event, examination, pool } = swap;
  const base = view.baseIsToken0 ? event.amount0 : event.amount1;
  const quote = view.baseIsToken0 ? event.amount1 : event.amount0;
  const amounts = { baseRaw: abs(base), quoteRaw: abs(quote) };
  const oneForOther = base < 0n !== quote < 0n;
  const prices = priceSwap(state, view, { ...amounts, oneForOther, pool, examination });
  return {
    token: view.base,
    block: state.header.position,
    logIndex: event.logIndex,
    txHash: event.txHash,
    index: swap.index,
    timestampMs: pickTradeTime(state, view),
    side: base < 0n ? 'buy' : 'sell',
    wallet: event.wallet,
    venue: pool.row.venue,
    pool: event.pool,
    amountRaw: amounts.baseRaw,
    quoteToken: view.quote,
    quoteAmountRaw: amounts.quoteRaw,
    priceNative: prices.priceNative,
    priceUsd: prices.priceUsd,
    valueNative: prices.valueNative,
    valueUsd: prices.valueUsd,
    outlier:
      isDust(amounts, prices.valueUsd) ||
      examination.legs.has(event) ||
      examination.isSliver(view.base, event.pool),
  };
}

/** `index` is the swap's index among those of its transaction. */
export function applySwap(
  state: MarketState,
  event: SwapEvent,
  context: { readonly index: number; readonly examination: BlockExamination },
): void {
  const pool = state.pools.get(event.pool);
  if (pool === undefined) return;
  applyToPool(state, pool, event);
  if (movedNothing(event)) return;
  // Both trades of a swap are priced before either sets a price.
  const trades = pool.views.map((view) => buildTrade(state, view, { event, pool, ...context }));
  for (const trade of trades) {
    state.addTrade(trade);
    applyToToken(state, openTokenEntry(state, trade.token), trade);
  }
}
