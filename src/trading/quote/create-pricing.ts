// Composes pricing and quoting.

import type { PermitTerms } from '../../chains/chain-transactions.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import { LazyAnswer } from '../../contract/lazy-answer.ts';
import { type LookupDesk, lookUpToken } from '../../contract/look-up-token.ts';
import { COSTS, type InputOf, LOOKUP_COST } from '../../contract/operation.ts';
import type { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Address } from '../../model/ids.ts';
import { createPriceTrade, describeSearch, type PricingParts } from './create-price-trade.ts';
import { createExplainedPrice } from './explain-no-market.ts';
import { parseTrade, type TradeInput } from './parse-trade.ts';
import type { PricedTrade, PriceTrade, TradeCaller, TradeRequest } from './priced-trade.ts';
import { buildQuoteAnswer, type QuoteAnswer } from './quote-answer.ts';
import { openQuote, QUOTE_LIFE_MS, type QuoteTerms, type Sealer, sealQuote } from './quote-seal.ts';
import type { TradeChain, TradeChains } from './trade-chain.ts';
import { turnForRoute } from './turn-for-route.ts';

// Prices trades of tokens that the index does not have, or whose older pools it may not have: they
// are looked up on their chain, and the trade is priced again.

interface OnDemandParts {
  readonly chains: Pick<TradeChains, 'find'>;
  /** Absent if nothing is looked up. */
  readonly lookups?: LookupDesk | undefined;
}

interface PricedDemand {
  readonly lookups: LookupDesk;
  readonly chain: TradeChain;
  readonly request: TradeRequest;
  readonly caller: TradeCaller;
}

function isCode(error: unknown, code: AppError['code']): boolean {
  return error instanceof AppError && error.code === code;
}

function lookUp(demand: PricedDemand, token: Address, isKnown: boolean): Promise<boolean> {
  const { lookups, chain, caller } = demand;
  const mint = chain.addresses.toShown(token);
  return lookUpToken(
    lookups,
    { chain: chain.slug, token, mint, isKnown },
    {
      key: caller.key,
      identity: caller.identity,
      charge: () => caller.chargeAhead(LOOKUP_COST),
      refund: (cost) => caller.charge(-cost),
    },
  );
}

/** Looks up what the index does not have; false if it is no token. */
async function findUnknown(demand: PricedDemand): Promise<boolean> {
  const { chain, request } = demand;
  const ends = [request.mint, request.quoteMint].filter((one) => one !== chain.addresses.native);
  const known = await chain.tokens.read(ends);
  let isAnyFound = false;
  for (const token of new Set(ends)) {
    if (known.has(token)) continue;
    if (await lookUp(demand, token, false)) isAnyFound = true;
  }
  return isAnyFound;
}

/** Looks for older pools of a known token; false if that brings nothing. */
async function findOlderPools(demand: PricedDemand): Promise<boolean> {
  const { chain, request } = demand;
  // A chain that is indexed from its beginning has no older pools.
  if ((chain.readGraph()?.checkpoint.startBlock ?? 0) <= 1) return false;
  try {
    return await lookUp(demand, request.mint, true);
  } catch (error) {
    if (isCode(error, 'LOOKUP_PENDING')) throw error;
    return false;
  }
}

function createPriceOnDemand(price: PriceTrade, parts: OnDemandParts): PriceTrade {
  const { lookups } = parts;
  if (lookups === undefined) return price;
  return async (request, caller, options) => {
    try {
      return await price(request, caller, options);
    } catch (error) {
      const isUnknown = isCode(error, 'TOKEN_NOT_FOUND');
      const chain = parts.chains.find(request.chain);
      // Older pools that are not known yet may lead there.
      const isUnreached = isCode(error, 'NO_MARKET') || isCode(error, 'NO_SINGLE_ROUTER');
      if (chain === null || (!isUnknown && !isUnreached)) throw error;
      const demand = { lookups, chain, request, caller };
      if (!(await (isUnknown ? findUnknown(demand) : findOlderPools(demand)))) throw error;
      await chain.settle();
      return await price(request, caller, options);
    }
  };
}

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
      parts.scheduler.inTurn({ caller: key, watchCaller: watch, ...describeSearch(request) }, work),
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
  ): Promise<LazyAnswer<QuoteAnswer>> => {
    const caller = createTradeCaller(context, COSTS.quote);
    const request = pricing.parse(input);
    return pricing.inTurn(request, caller, async (leave) => {
      const trade = await pricing.price(request, caller, { onSearched: leave });
      await turnForRoute(trade);
      return new LazyAnswer(pricing.sealAnswer(trade));
    });
  };
}
