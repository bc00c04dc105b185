// Composes pricing and quoting.

import type { PermitTerms } from '../../chains/chain-transactions.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import type { LookupDesk } from '../../contract/look-up-token.ts';
import { OnceAnswer } from '../../contract/once-answer.ts';
import { COSTS, type InputOf } from '../../contract/operation.ts';
import type { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { createPriceTrade, describeSearch, type PricingParts } from './create-price-trade.ts';
import { createExplainedPrice } from './explain-no-market.ts';
import { parseTrade, type TradeInput } from './parse-trade.ts';
import { createPriceOnDemand } from './price-on-demand.ts';
import type { PricedTrade, PriceTrade, TradeCaller, TradeRequest } from './priced-trade.ts';
import { buildQuoteAnswer, type QuoteAnswer } from './quote-answer.ts';
import { openQuote, QUOTE_LIFE_MS, type QuoteTerms, type Sealer, sealQuote } from './quote-seal.ts';
import { turnForRoute } from './turn-for-route.ts';

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
  /** Waits with a request whose search is known to take long until there is room for it. */
  inTurn<T>(
    request: TradeRequest,
    caller: TradeCaller,
    work: (leave: () => void) => Promise<T>,
  ): Promise<T>;
  /**
   * As a response, with a quote id that seals its minimum or maximum, and the permit that was given
   * to be signed: then it is valid as long as that.
   */
  sealAnswer(trade: PricedTrade, permit?: PermitTerms | null): QuoteAnswer;
  /** Throws `INVALID_QUOTE_ID`; the caller checks expiry and fields. */
  openQuoteId(quoteId: string): QuoteTerms;
}

export function createPricing(parts: TradingParts): Pricing {
  const { chains, clock, sealer } = parts;
  return {
    parse: (input) => parseTrade(chains, input),
    price: createExplainedPrice(createPriceOnDemand(createPriceTrade(parts), parts), chains),
    inTurn: (request, { key, watch }, work) =>
      parts.desk.inTurn({ caller: key, watchCaller: watch, ...describeSearch(request) }, work),
    sealAnswer: (trade, permit = null) => {
      const nowMs = clock.nowMs();
      const expiresAtMs = permit === null ? nowMs + QUOTE_LIFE_MS : permit.deadlineSeconds * 1000;
      const { request, outPerUnit } = trade;
      const limitRaw = request.fixed === 'input' ? trade.minAmountOutRaw : trade.maxAmountInRaw;
      const quoteId = sealQuote(sealer, { request, limitRaw, outPerUnit, expiresAtMs, permit });
      const addresses = chains.findAddresses(request.chain);
      return buildQuoteAnswer(trade, { quoteId, expiresAtMs, nowMs, addresses });
    },
    openQuoteId: (quoteId) => openQuote(sealer, quoteId),
  };
}

/** Budgets and turns go by the same caller. `paid` is what its request has cost so far. */
export function createTradeCaller(context: HandlerContext, paid: number): TradeCaller {
  const { identity } = context;
  // Only a refusal of the first search gives that back: after it, some of the work is done.
  let unused = paid;
  return {
    key: `${identity.kind} ${identity.key}`,
    identity,
    watch: context.watchClient?.bind(context),
    chargeAhead: (cost) => {
      const given = unused;
      unused = 0;
      return context.chargeAhead?.({ cost, paid: given }) ?? 0;
    },
    charge: (cost) => {
      unused = 0;
      context.chargeDone?.(cost);
    },
  };
}

export function createQuoteTrade(pricing: Pricing) {
  return async (
    input: InputOf<typeof quoteTrade>,
    context: HandlerContext,
  ): Promise<OnceAnswer<QuoteAnswer>> => {
    const caller = createTradeCaller(context, COSTS.quote);
    const request = pricing.parse(input);
    return pricing.inTurn(request, caller, async (leave) => {
      const trade = await pricing.price(request, caller, { onSearched: leave });
      await turnForRoute(trade);
      return new OnceAnswer(pricing.sealAnswer(trade));
    });
  };
}
