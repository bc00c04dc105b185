// The terms that a quote sets for a build: the higher of the two minimums counts or, if the output
// is given, the lower of the two maximums.

import { AppError } from '../../errors/app-error.ts';
import { maxOf, minOf } from '../../lib/bigint-bounds.ts';
import type { PricedTrade, TradeRequest } from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import { FREE_UNITS } from '../routing/unit-worth.ts';

const FIELDS = ['chain', 'mint', 'side', 'slippageBps', 'quoteMint'] as const;

export function assertFits(terms: QuoteTerms, request: TradeRequest, nowMs: number): void {
  if (terms.expiresAtMs <= nowMs) throw new AppError('QUOTE_EXPIRED', {});
  const quoted = terms.request;
  const isSameAmount = quoted.fixed === request.fixed && quoted.amountRaw === request.amountRaw;
  const amountField = request.fixed === 'input' ? 'amountInRaw' : 'amountOutRaw';
  const differing: string[] = FIELDS.filter((field) => quoted[field] !== request[field]);
  if (!isSameAmount) differing.push(amountField);
  if (differing.length === 0) return;
  const message = 'differs from the quote';
  throw new AppError(
    'QUOTE_MISMATCH',
    { fields: differing.join(', ') },
    { errors: differing.map((path) => ({ path, message })) },
  );
}

export function meetsTerms(trade: PricedTrade, { limitRaw }: QuoteTerms): boolean {
  const { request, amountInRaw, amountOutRaw } = trade;
  return request.fixed === 'input' ? amountOutRaw >= limitRaw : amountInRaw <= limitRaw;
}

export function buildPriceMovedError(trade: PricedTrade, { limitRaw }: QuoteTerms): AppError {
  const change =
    trade.request.fixed === 'input'
      ? `pay ${trade.amountOutRaw}, less than the quoted minimum of ${limitRaw}`
      : `take ${trade.amountInRaw}, more than the quoted maximum of ${limitRaw}`;
  return new AppError('PRICE_MOVED', { change });
}

/**
 * The trade with the tighter of the two limits. One that is not exact may be better than its price,
 * as the quote's limit was if that followed a simulation: its own simulation decides.
 */
function tighten(trade: PricedTrade, terms: QuoteTerms): PricedTrade {
  const { limitRaw } = terms;
  const isInput = trade.request.fixed === 'input';
  if (trade.exact && !meetsTerms(trade, terms)) throw buildPriceMovedError(trade, terms);
  if (isInput) return { ...trade, minAmountOutRaw: maxOf(trade.minAmountOutRaw, limitRaw) };
  return { ...trade, maxAmountInRaw: minOf(trade.maxAmountInRaw, limitRaw) };
}

/** Whether the second pays more, or takes less if the output is given. */
function isBetter(one: PricedTrade, than: PricedTrade): boolean {
  if (one.request.fixed === 'output') return one.amountInRaw < than.amountInRaw;
  return one.amountOutRaw > than.amountOutRaw;
}

/** Prices the trade with the current value of a cost unit, or with the given one. */
export type PriceOnWorth = (outPerUnit?: PricedTrade['outPerUnit']) => Promise<PricedTrade>;

/**
 * Chooses the route with the quote's value of a cost unit: a change of network fees is no reason
 * to pay less than quoted. If that falls short of the minimum, the route that pays most, or takes
 * least, is tried, whatever it costs. Throws `PRICE_MOVED` if that falls short, too, and is exact.
 */
export async function priceOnTerms(
  price: PriceOnWorth,
  terms: QuoteTerms | null,
): Promise<PricedTrade> {
  if (terms === null) return price();
  const trade = await price(terms.outPerUnit);
  if (meetsTerms(trade, terms)) return tighten(trade, terms);
  const highest = await price(FREE_UNITS);
  return tighten(isBetter(highest, trade) ? highest : trade, terms);
}
