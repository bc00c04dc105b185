// What a quote binds a build to. It can only tighten: the higher of the two minimums counts.

import { AppError } from '../../errors/app-error.ts';
import type { PricedTrade, TradeRequest } from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import { FREE_GAS } from '../routing/gas-worth.ts';

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

/** The trade with the minimum that both allow. */
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

/** Prices the trade by what gas is worth now, or by the given worth. */
export type PriceOnWorth = (outPerGas?: PricedTrade['outPerGas']) => Promise<PricedTrade>;

/**
 * Chooses the route by what gas was worth to the quote: network fees that changed since are no
 * reason to pay less than was quoted. Where that falls short of the minimum, the route that pays
 * most is tried, whatever gas it uses. Throws `PRICE_MOVED` where that falls short, too.
 */
export async function priceOnTerms(
  price: PriceOnWorth,
  terms: QuoteTerms | null,
): Promise<PricedTrade> {
  if (terms === null) return price();
  const trade = await price(terms.outPerGas);
  if (trade.amountOutRaw >= terms.minAmountOutRaw) return tighten(trade, terms);
  const highest = await price(FREE_GAS);
  return tighten(highest.amountOutRaw > trade.amountOutRaw ? highest : trade, terms);
}
