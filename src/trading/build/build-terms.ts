// The terms that a quote sets for a build. They can only raise the minimum: the higher one counts.

import { AppError } from '../../errors/app-error.ts';
import type { PricedTrade, TradeRequest } from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import { FREE_UNITS } from '../routing/unit-worth.ts';

const FIELDS = ['chain', 'mint', 'side', 'amountInRaw', 'slippageBps', 'quoteMint'] as const;

export function assertFits(terms: QuoteTerms, request: TradeRequest, nowMs: number): void {
  if (terms.expiresAtMs <= nowMs) throw new AppError('QUOTE_EXPIRED', {});
  const differing = FIELDS.filter((field) => terms.request[field] !== request[field]);
  if (differing.length === 0) return;
  const message = 'differs from the quote';
  throw new AppError(
    'QUOTE_MISMATCH',
    { fields: differing.join(', ') },
    { errors: differing.map((path) => ({ path, message })) },
  );
}

/** The trade with the higher of the two minimums. */
function tighten(trade: PricedTrade, terms: QuoteTerms): PricedTrade {
  const { amountOutRaw, minAmountOutRaw } = trade;
  if (amountOutRaw < terms.minAmountOutRaw) {
    throw new AppError('PRICE_MOVED', {
      amount: amountOutRaw.toString(),
      minimum: terms.minAmountOutRaw.toString(),
    });
  }
  const isTighter = terms.minAmountOutRaw > minAmountOutRaw;
  return isTighter ? { ...trade, minAmountOutRaw: terms.minAmountOutRaw } : trade;
}

/** Prices the trade with the current value of a cost unit, or with the given one. */
export type PriceOnWorth = (outPerUnit?: PricedTrade['outPerUnit']) => Promise<PricedTrade>;

/**
 * Chooses the route with the quote's value of a cost unit: a change of network fees is no reason
 * to pay less than quoted. If that falls short of the minimum, the route that pays most is tried,
 * whatever it costs. Throws `PRICE_MOVED` if that falls short, too.
 */
export async function priceOnTerms(
  price: PriceOnWorth,
  terms: QuoteTerms | null,
): Promise<PricedTrade> {
  if (terms === null) return price();
  const trade = await price(terms.outPerUnit);
  if (trade.amountOutRaw >= terms.minAmountOutRaw) return tighten(trade, terms);
  const highest = await price(FREE_UNITS);
  return tighten(highest.amountOutRaw > trade.amountOutRaw ? highest : trade, terms);
}
