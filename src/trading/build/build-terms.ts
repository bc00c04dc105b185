// What a quote binds a build to. It can only tighten: the higher of the two minimums counts.

import { AppError } from '../../errors/app-error.ts';
import type { PricedTrade, TradeRequest } from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';

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
export function tighten(trade: PricedTrade, terms: QuoteTerms | null): PricedTrade {
  if (terms === null) return trade;
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
