// Applies the events of whole blocks, in log order, to the rows in memory.

import { type MarketView, RANK_TOKEN } from '../../chains/quote-rule.ts';
import { compareTexts } from '../../lib/decimal.ts';
import type { BlockEvents, SwapEvent, TransferEvent } from '../../model/block-events.ts';
import type { Address, TransactionId } from '../../model/ids.ts';
import { pickTokenLiquidity, type TradeRecord } from '../../model/market-record.ts';
import type { PositionKey } from '../../model/position.ts';
import { createPosition, foldTrade, settlePosition } from '../../positions/position-fold.ts';
import type { MarketState, PoolEntry, TokenEntry } from '../state/market-state.ts';
import type { BalanceEntry, PositionEntry } from '../state/position-cache.ts';
import { findAnchorPrice, priceTrade, type TradePrices } from '../state/price-trade.ts';
import { openTokenEntry } from '../state/token-entry.ts';
import { applyPoolChange, applyPoolChanged, applyPoolCreated } from './apply-pool-event.ts';
import { type BlockExamination, examineBlock } from './examine-block.ts';
import { valuePools } from './value-pools.ts';

// Applies a swap: the pool's new state, and its trades.

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
function applySwap(
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

// Maintains balances, holders and their sum from transfer events.

/** Balances and their sums are capped at what a contract can hold, whatever its events claim. */
const AMOUNT_MAX = 2n ** 256n - 1n;

function findBalanceEntry(state: MarketState, token: Address, owner: Address): BalanceEntry {
  const entry = state.balances.get(token, owner);
  if (entry === undefined) throw new Error(`balance of ${owner} in ${token} was not loaded`);
  return entry;
}

/** Takes at most the owner's known balance, so that a balance never goes below zero. */
function debit(state: MarketState, token: TokenEntry, owner: Address, amountRaw: bigint): void {
  const balance = findBalanceEntry(state, token.row.token, owner);
  const hadRaw = balance.row.amountRaw;
  const takenRaw = hadRaw < amountRaw ? hadRaw : amountRaw;
  if (takenRaw < amountRaw && !token.row.balancesBroken) {
    state.touchToken(token);
    token.row.balancesBroken = true;
  }
  if (takenRaw === 0n) return;
  state.touchBalance(balance);
  balance.row.amountRaw = hadRaw - takenRaw;
  state.touchToken(token);
  token.row.balanceSumRaw -= takenRaw;
  if (takenRaw === hadRaw) token.row.holders -= 1;
}

function credit(state: MarketState, token: TokenEntry, owner: Address, amountRaw: bigint): void {
  const roomRaw = AMOUNT_MAX - token.row.balanceSumRaw;
  const givenRaw = roomRaw < amountRaw ? roomRaw : amountRaw;
  state.touchToken(token);
  if (givenRaw < amountRaw) token.row.balancesBroken = true;
  if (givenRaw === 0n) return;
  const balance = findBalanceEntry(state, token.row.token, owner);
  state.touchBalance(balance);
  if (balance.row.amountRaw === 0n) token.row.holders += 1;
  balance.row.amountRaw += givenRaw;
  token.row.balanceSumRaw += givenRaw;
}

/** Minting has no sender, burning no receiver. */
export function applyTransfer(state: MarketState, event: TransferEvent): void {
  const token = openTokenEntry(state, event.token);
  if (event.amountRaw === 0n) return;
  if (event.isSample && !token.row.balancesBroken) {
    state.touchToken(token);
    token.row.balancesBroken = true;
  }
  if (event.from === null || event.to === null) {
    // The supply changed, even if our sum of balances did not: it must be read again.
    state.touchToken(token);
    token.row.supplyBalanceSumRaw = null;
  }
  if (event.from !== null) debit(state, token, event.from, event.amountRaw);
  if (event.to !== null) credit(state, token, event.to, event.amountRaw);
}

// Folds a block's trades into the positions of the wallets that made them.
//
// Transfers do not tell which transaction they belong to, so they are told from trades by the
// wallet's balance before and after the block: what it does not explain came or went without a
// trade. Transfers in blocks without a trade are seen with the next trade, by their net effect.

function findEntry(state: MarketState, { token, wallet }: PositionKey): PositionEntry {
  const entry = state.positions.find(token, wallet);
  if (entry !== undefined) return entry;
  throw new Error(`position of ${wallet} in ${token} was not loaded`);
}

/** Applies the trades of one wallet with one token. */
function foldGroup(state: MarketState, entry: PositionEntry, trades: readonly TradeRecord[]): void {
  const { token, wallet } = entry;
  let row = entry.row ?? createPosition(entry, trades[0]?.timestampMs ?? 0);
  // Nobody announces transfers of the native coin, so its trades are all that is known.
  const balance = token === state.assets.coin ? undefined : state.balances.get(token, wallet);
  if (balance === undefined) {
    row = { ...row, isCostKnown: false };
  } else {
    const isChanged = balance.changedBlock === state.header.position;
    row = settlePosition(row, isChanged ? balance.beforeRaw : balance.row.amountRaw);
  }
  for (const trade of trades) row = foldTrade(row, trade);
  if (balance !== undefined) row = settlePosition(row, balance.row.amountRaw);
  state.setPosition(entry, row);
}

/** Call it when all events of the block have been applied. */
function foldPositions(state: MarketState): void {
  const groups = Map.groupBy(state.tradesOfBlock, (trade) => findEntry(state, trade));
  for (const [entry, trades] of groups) foldGroup(state, entry, trades);
}

function applyBlock(state: MarketState, block: BlockEvents): void {
  const examination = examineBlock(state, block);
  const swapsOfTransaction = new Map<TransactionId, number>();
  for (const event of block.events) {
    switch (event.kind) {
      case 'transfer':
        applyTransfer(state, event);
        break;
      case 'swap': {
        const index = event.index ?? swapsOfTransaction.get(event.txHash) ?? 0;
        swapsOfTransaction.set(event.txHash, index + 1);
        applySwap(state, event, { index, examination });
        break;
      }
      case 'poolChanged':
        applyPoolChanged(state, event);
        break;
      case 'poolCreated':
        applyPoolCreated(state, event);
        break;
    }
  }
  endBlock(state);
}

/** Values the pools; alerts are decided by what that gives. */
function endBlock(state: MarketState): void {
  if (state.alerts.size === 0) {
    valuePools(state);
    return;
  }
  const pools = state.poolsOfBlock.map(({ row }) => ({ row, beforeUsdE18: row.liquidityUsdE18 }));
  valuePools(state);
  const { position: block, timestampMs } = state.header;
  const findLiquidity = (token: Address) => {
    const row = state.tokens.get(token)?.row;
    return row === undefined ? null : pickTokenLiquidity(row);
  };
  const findBalanceSum = (token: Address) => {
    const row = state.tokens.get(token)?.row;
    return row === undefined || row.balancesBroken ? null : row.balanceSumRaw;
  };
  state.alerts.decide({
    ...{ block, timestampMs, trades: state.tradesOfBlock, pools, findLiquidity },
    ...{ balances: state.takeBalancesOfBlock(), findBalanceSum },
  });
  state.noteFired();
}

/**
 * Requires that everything the blocks mention is loaded (`loadState`). Blocks above
 * `finalizedBlock` get undo images.
 */
export function applyBlocks(
  state: MarketState,
  blocks: readonly BlockEvents[],
  finalizedBlock: number,
): void {
  for (const block of blocks) {
    state.beginBlock(block.header, block.header.position > finalizedBlock);
    applyBlock(state, block);
    foldPositions(state);
  }
}

/** The same for blocks from before the index, whose rows are not kept: only their trades count. */
export function applyHistory(state: MarketState, blocks: readonly BlockEvents[]): void {
  for (const block of blocks) {
    state.beginBlock(block.header, false);
    applyBlock(state, block);
  }
}
