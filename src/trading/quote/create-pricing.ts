// Composes pricing and quoting.

import type { HandlerContext } from '../../contract/handler.ts';
import type { LookupDesk } from '../../contract/look-up-token.ts';
import { COSTS, type InputOf } from '../../contract/operation.ts';
import type { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { createPriceTrade, type PricingParts } from './create-price-trade.ts';
import { parseTrade, type TradeInput } from './parse-trade.ts';
import { createPriceOnDemand } from './price-on-demand.ts';
import type { PricedTrade, PriceTrade, TradeCaller, TradeRequest } from './priced-trade.ts';
import { buildQuoteAnswer, type QuoteAnswer } from './quote-answer.ts';
import { openQuote, QUOTE_LIFE_MS, type QuoteTerms, type Sealer, sealQuote } from './quote-seal.ts';

interface TradingParts extends PricingParts {
  /** Looks up tokens that the index does not have; absent if that is off. */
  readonly lookups?: LookupDesk | undefined;
  readonly sealer: Sealer;
}

/** What build and quote share. */
export interface Pricing {
  /** Throws for invalid input. */
  parse(input: TradeInput): TradeRequest;
  readonly price: PriceTrade;
  /** As a response, with a quote id that seals its minimum. */
  sealAnswer(trade: PricedTrade): QuoteAnswer;
  /** Throws `INVALID_QUOTE_ID`; the caller checks expiry and fields. */
  openQuoteId(quoteId: string): QuoteTerms;
}

export function createPricing(parts: TradingParts): Pricing {
  const { chains, clock, sealer } = parts;
  return {
    parse: (input) => parseTrade(chains, input),
    price: createPriceOnDemand(createPriceTrade(parts), parts),
    sealAnswer: (trade) => {
      const nowMs = clock.nowMs();
      const expiresAtMs = nowMs + QUOTE_LIFE_MS;
      const { request, minAmountOutRaw, outPerUnit } = trade;
      const quoteId = sealQuote(sealer, { request, minAmountOutRaw, outPerUnit, expiresAtMs });
      const addresses = chains.findAddresses(request.chain);
      return buildQuoteAnswer(trade, { quoteId, expiresAtMs, nowMs, addresses });
    },
    openQuoteId: (quoteId) => openQuote(sealer, quoteId),
  };
}

/** Budgets and turns go by the same caller. `paid` is what its request has cost so far. */
export function createTradeCaller(context: HandlerContext, paid: number): TradeCaller {
  const { identity, chargeAhead, chargeDone, watchClient } = context;
  // Only a refusal of the first search gives that back: after it, some of the work is done.
  let unused = paid;
  return {
    key: `${identity.kind} ${identity.key}`,
    watch: watchClient,
    chargeAhead: (cost) => {
      const given = unused;
      unused = 0;
      return chargeAhead?.({ cost, paid: given }) ?? 0;
    },
    charge: (cost) => {
      unused = 0;
      chargeDone?.(cost);
    },
  };
}

export function createQuoteTrade(pricing: Pricing) {
  return async (input: InputOf<typeof quoteTrade>, context: HandlerContext): Promise<QuoteAnswer> =>
    pricing.sealAnswer(
      await pricing.price(pricing.parse(input), createTradeCaller(context, COSTS.quote)),
    );
}
