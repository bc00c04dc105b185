// A wallet's trades and transfers of one token, folded into its position by average cost.
//
// Units whose cost is known and others are held in one heap: what leaves takes of both in
// proportion. Divisions round down, to whole raw units and to millionths of a USD.

import { pow10, textToDecimal } from '../lib/decimal.ts';
import type { TradeRecord } from '../model/market-record.ts';
import type { PositionKey, PositionRecord, TradeFigures } from '../model/position.ts';
import { addToPeriods } from './position-periods.ts';

const USD_SCALE = 6;

const NO_FIGURES: TradeFigures = { volumeUsdE6: 0n, realisedUsdE6: 0n, buys: 0, sells: 0 };

/** In millionths, rounded down. */
export function toUsdE6(text: string): bigint {
  const { digits, scale } = textToDecimal(text);
  return scale <= USD_SCALE ? digits * pow10(USD_SCALE - scale) : digits / pow10(scale - USD_SCALE);
}

type Held = Pick<PositionRecord, 'boughtRaw' | 'costUsdE6' | 'otherRaw'>;

/** Takes units out, at most as many as there are. */
function takeUnits(held: Held, amountRaw: bigint): { left: Held; bought: bigint; cost: bigint } {
  const { boughtRaw, costUsdE6, otherRaw } = held;
  const heldRaw = boughtRaw + otherRaw;
  if (heldRaw === 0n) return { left: held, bought: 0n, cost: 0n };
  const bought = (boughtRaw * amountRaw) / heldRaw;
  // The last unit takes what rounding left.
  const cost = bought === boughtRaw ? costUsdE6 : (costUsdE6 * bought) / boughtRaw;
  const left = {
    boughtRaw: boughtRaw - bought,
    costUsdE6: costUsdE6 - cost,
    otherRaw: otherRaw - (amountRaw - bought),
  };
  return { left, bought, cost };
}

/** Before the first trade. */
export function createPosition(key: PositionKey, firstTradeAtMs: number): PositionRecord {
  return {
    token: key.token,
    wallet: key.wallet,
    boughtRaw: 0n,
    costUsdE6: 0n,
    otherRaw: 0n,
    isCostKnown: true,
    firstTradeAtMs,
    lastTradeAtMs: firstTradeAtMs,
    older: NO_FIGURES,
    periods: [],
  };
}

/**
 * Brings the held units to the wallet's balance: what is missing was sent away, what is there in
 * addition came without a trade.
 */
export function settlePosition(position: PositionRecord, balanceRaw: bigint): PositionRecord {
  const heldRaw = position.boughtRaw + position.otherRaw;
  if (balanceRaw === heldRaw) return position;
  if (balanceRaw < heldRaw) {
    return { ...position, ...takeUnits(position, heldRaw - balanceRaw).left };
  }
  const otherRaw = position.otherRaw + balanceRaw - heldRaw;
  return { ...position, otherRaw, isCostKnown: false };
}

/** What is held after a trade, and what the trade realised. */
interface FoldedUnits extends Held {
  readonly isCostKnown: boolean;
  readonly realised: bigint;
}

function foldBuy(position: PositionRecord, amountRaw: bigint, valueE6: bigint | null): FoldedUnits {
  const { boughtRaw, costUsdE6, otherRaw, isCostKnown } = position;
  const isBought = valueE6 !== null;
  return {
    boughtRaw: isBought ? boughtRaw + amountRaw : boughtRaw,
    costUsdE6: costUsdE6 + (valueE6 ?? 0n),
    otherRaw: isBought ? otherRaw : otherRaw + amountRaw,
    isCostKnown: isCostKnown && isBought,
    realised: 0n,
  };
}

/** Units that were sold and never seen to come in have an unknown cost. */
function foldSell(
  position: PositionRecord,
  amountRaw: bigint,
  valueE6: bigint | null,
): FoldedUnits {
  const { boughtRaw, costUsdE6 } = position;
  const missingRaw = amountRaw - boughtRaw - position.otherRaw;
  const otherRaw = position.otherRaw + (missingRaw > 0n ? missingRaw : 0n);
  const { left, bought, cost } = takeUnits({ boughtRaw, costUsdE6, otherRaw }, amountRaw);
  const isCostKnown = position.isCostKnown && missingRaw <= 0n && valueE6 !== null;
  const realised =
    valueE6 === null || amountRaw === 0n ? 0n : (valueE6 * bought) / amountRaw - cost;
  return { ...left, isCostKnown, realised };
}

export function foldTrade(
  position: PositionRecord,
  trade: Pick<TradeRecord, 'side' | 'amountRaw' | 'valueUsd' | 'timestampMs'>,
): PositionRecord {
  const { side, amountRaw, timestampMs } = trade;
  const valueE6 = trade.valueUsd === null ? null : toUsdE6(trade.valueUsd);
  const fold = side === 'buy' ? foldBuy : foldSell;
  const units = fold(position, amountRaw, valueE6);
  const figures: TradeFigures = {
    volumeUsdE6: valueE6 ?? 0n,
    realisedUsdE6: units.realised,
    buys: side === 'buy' ? 1 : 0,
    sells: side === 'sell' ? 1 : 0,
  };
  const { older, periods } = addToPeriods(position, timestampMs, figures);
  // One per trade: spreading objects into it would take several times as long.
  return {
    token: position.token,
    wallet: position.wallet,
    boughtRaw: units.boughtRaw,
    costUsdE6: units.costUsdE6,
    otherRaw: units.otherRaw,
    isCostKnown: units.isCostKnown,
    firstTradeAtMs: position.firstTradeAtMs,
    lastTradeAtMs: timestampMs,
    older,
    periods,
  };
}
