// Composes pricing and quoting.

import type { IntegratorFee, PermitTerms } from '../../chains/chain-transactions.ts';
import type { Priority, PriorityLevel } from '../../chains/priority.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import { LazyAnswer } from '../../contract/handler.ts';
import {
  buildPoolsPendingError,
  type LookupDesk,
  lookUpToken,
} from '../../contract/look-up-token.ts';
import { COSTS, type InputOf, LOOKUP_COST } from '../../contract/operation.ts';
import type { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { parseAddress, parseFollowedChain } from '../../contract/parse-reference.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import { type ChainInfo, type ChainSlug, findFamilyName } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeSide } from '../../model/market-record.ts';
import { isLimited, type RouteLimits } from '../routing/route-limits.ts';
import { createPriceTrade, describeSearch, type PricingParts } from './create-price-trade.ts';
import type { UnquotableToken } from './explain-unquotable.ts';
import type { PricedTrade, PriceTrade, TradeCaller, TradeRequest } from './priced-trade.ts';
import { buildQuoteAnswer, type QuoteAnswer } from './quote-answer.ts';
import { openQuote, QUOTE_LIFE_MS, type QuoteTerms, type Sealer, sealQuote } from './quote-seal.ts';
import type { TradeChain, TradeChains } from './trade-chain.ts';
import { turnForRoute } from './turn-for-route.ts';

// Untrusted input of a trade → a request that can be priced, or the list of its errors.

type PriorityInput =
  | PriorityLevel
  | { readonly microLamports: string }
  | { readonly maxPriorityFeePerGas: string };

export interface TradeInput {
  readonly chain: string;
  readonly mint: string;
  readonly side: TradeSide;
  /** Exactly one of the two. */
  readonly amountInRaw?: string;
  readonly amountOutRaw?: string;
  readonly slippageBps: number | 'auto';
  readonly quoteMint?: string;
  readonly priority: PriorityInput;
  readonly venues?: string[];
  readonly excludeVenues?: string[];
  readonly directOnly?: boolean;
  /** Both or none. */
  readonly feeBps?: number;
  readonly feeRecipient?: string;
}

/** How many bits a token amount has. */
const AMOUNT_BITS: Readonly<Record<ChainInfo['family'], number>> = { evm: 256, solana: 64 };
/** The number of digits of 2^256. */
const DIGITS_MAX = 78;

function findAmountFault(text: string, bits: number): string | null {
  if (!/^\d+$/.test(text)) {
    return 'must be a whole number in decimal digits, in the smallest unit';
  }
  if (/^0+$/.test(text)) return 'must be above 0';
  if (text.startsWith('0')) return 'must not begin with 0';
  const isTooLarge = text.length > DIGITS_MAX || BigInt(text) >= 2n ** BigInt(bits);
  if (isTooLarge) return `must be below 2^${bits}`;
  return null;
}

function parseAmount({ amountInRaw, amountOutRaw }: TradeInput, bits: number) {
  const given = [
    ...(amountInRaw === undefined ? [] : [['amountInRaw', 'input', amountInRaw] as const]),
    ...(amountOutRaw === undefined ? [] : [['amountOutRaw', 'output', amountOutRaw] as const]),
  ];
  const [first, second] = given;
  if (first === undefined || second !== undefined) {
    const message = 'give exactly one of amountInRaw and amountOutRaw';
    throw buildInvalidInputError([{ path: second?.[0] ?? 'amountInRaw', message }]);
  }
  const [path, fixed, text] = first;
  const fault = findAmountFault(text, bits);
  if (fault !== null) throw buildInvalidInputError([{ path, message: fault }]);
  return { fixed, amountRaw: BigInt(text) };
}

/** How a price for a unit is named, and the most that is taken: more is taken for a mistake. */
const UNIT_PRICES: Readonly<
  Record<ChainInfo['family'], { readonly name: string; readonly max: bigint }>
> = {
  evm: { name: 'maxPriorityFeePerGas', max: 10n ** 13n },
  solana: { name: 'microLamports', max: 10n ** 8n },
};

function parsePriority(priority: PriorityInput, family: ChainInfo['family']): Priority {
  if (typeof priority === 'string') return priority;
  const { name, max } = UNIT_PRICES[family];
  const [[given, text] = ['', '']] = Object.entries(priority) as [string, string][];
  const refuse = (path: string, message: string): never => {
    throw buildInvalidInputError([{ path, message }]);
  };
  if (given !== name) refuse('priority', `must be low, medium, high or {${name}} on this chain`);
  if (!/^(0|[1-9]\d{0,20})$/.test(text)) {
    refuse(`priority.${name}`, 'must be a whole number in decimal digits');
  }
  const unitPrice = BigInt(text);
  return unitPrice > max ? refuse(`priority.${name}`, `must be at most ${max}`) : { unitPrice };
}

/** A name of no venue where trades are built would leave nothing. */
function parseLimits(
  { venues = [], excludeVenues = [], directOnly = false }: TradeInput,
  known: ReadonlySet<string> | null,
): { readonly limits?: RouteLimits } {
  const unknown = known === null ? undefined : venues.find((name) => !known.has(name));
  if (unknown !== undefined) {
    const names = [...(known ?? [])].sort().join(', ');
    const message = `has "${unknown}", where no trades are built on this chain; known: ${names}`;
    throw buildInvalidInputError([{ path: 'venues', message }]);
  }
  const limits = { venues, excludeVenues, directOnly };
  return isLimited(limits) ? { limits } : {};
}

/** Below are precompiled contracts, and what routers take for themselves or the sender. */
const EVM_ACCOUNT_MIN = 0x10000n;

function parseFee(
  addresses: AddressCodec,
  chain: ChainSlug,
  { feeBps, feeRecipient }: TradeInput,
): { readonly fee?: IntegratorFee } {
  if (feeBps === undefined && feeRecipient === undefined) return {};
  if (feeBps === undefined || feeRecipient === undefined) {
    const path = feeBps === undefined ? 'feeBps' : 'feeRecipient';
    throw buildInvalidInputError([{ path, message: 'feeBps and feeRecipient go together' }]);
  }
  const recipient = parseAddress(addresses, { chain, text: feeRecipient, field: 'feeRecipient' });
  const isReserved =
    recipient === addresses.native ||
    (findFamilyName(chain) === 'evm' && BigInt(recipient) < EVM_ACCOUNT_MIN);
  if (isReserved) {
    const message = 'must be the address of an account, not of the coin or a precompile';
    throw buildInvalidInputError([{ path: 'feeRecipient', message }]);
  }
  return { fee: { bps: feeBps, recipient } };
}

export function parseTrade(
  chains: Pick<TradeChains, 'known' | 'list' | 'findAddresses' | 'canTrade' | 'listVenues'>,
  input: TradeInput,
): TradeRequest {
  const chain = parseFollowedChain(chains, input.chain);
  const addresses = chains.findAddresses(chain);
  const mint = parseAddress(addresses, { chain, text: input.mint, field: 'mint' });
  const quoteMint =
    input.quoteMint === undefined
      ? addresses.native
      : parseAddress(addresses, { chain, text: input.quoteMint, field: 'quoteMint' });
  if (!chains.canTrade(chain)) throw new AppError('TRADING_NOT_SUPPORTED', { chain });
  const { side, slippageBps } = input;
  const family = findFamilyName(chain);
  const amount = parseAmount(input, AMOUNT_BITS[family]);
  const priority = parsePriority(input.priority, family);
  const limits = parseLimits(input, chains.listVenues(chain));
  const fee = parseFee(addresses, chain, input);
  return { chain, mint, side, quoteMint, ...amount, slippageBps, priority, ...limits, ...fee };
}

// A token without a route may still trade: on a venue that is indexed, but that the chain's router
// does not support, in pools that cannot be quoted or are still being read, or in pools that lead
// elsewhere. Then that is the answer, not that there is no market.

/** An address of something else is an error of the input; null if nothing is known of it. */
async function explainUnknown(
  chain: TradeChain | null,
  { mint, quoteMint }: TradeRequest,
): Promise<AppError | null> {
  const fields = [
    { path: 'mint', token: mint },
    { path: 'quoteMint', token: quoteMint },
  ];
  const asked = fields.filter(({ token }) => token !== chain?.addresses.native);
  const others = await chain?.findNonTokens?.(asked.map(({ token }) => token));
  const wrong = asked.filter(({ token }) => others?.has(token));
  if (wrong.length === 0) return null;
  const message = 'is an account of the chain, but no token';
  return buildInvalidInputError(wrong.map(({ path }) => ({ path, message })));
}

function explainUntraded(
  { slug, addresses }: TradeChain,
  { mint: traded, quoteMint, side }: TradeRequest,
  found: UnquotableToken,
): AppError {
  const mint = addresses.toShown(found.token);
  const context = { mint, chain: slug };
  switch (found.kind) {
    case 'pending':
      return buildPoolsPendingError(slug, mint);
    case 'flags':
      return new AppError('POOLS_NOT_QUOTED', { ...context, flags: found.flags });
    case 'venues':
      return new AppError('VENUE_NOT_SUPPORTED', { ...context, venues: found.venues.join(', ') });
    case 'noRoute': {
      const [token, quote] = [addresses.toShown(traded), addresses.toShown(quoteMint)];
      const [from, to] = side === 'buy' ? [quote, token] : [token, quote];
      const venues = found.venues.join(', ');
      return new AppError('NO_ROUTE', { ...context, venues, from, to });
    }
  }
}

/** Of the commit whose pools are searched. */
function readVersion(chain: TradeChain | null): number | null {
  return chain?.readGraph()?.checkpoint.version ?? null;
}

export function createExplainedPrice(
  price: PriceTrade,
  chains: Pick<TradeChains, 'find'>,
): PriceTrade {
  return async (request, caller, options) => {
    const chain = chains.find(request.chain);
    const version = readVersion(chain);
    try {
      return await price(request, caller, options);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { mint, quoteMint } = request;
      if (error.code === 'TOKEN_NOT_FOUND') throw (await explainUnknown(chain, request)) ?? error;
      if (error.code !== 'NO_MARKET' || chain === null) throw error;
      const found = await chain.explainUnquotable({ mint, quoteMint });
      const reason = found === null ? error : explainUntraded(chain, request, found);
      if (found?.kind === 'pending') throw reason;
      // The pools were read from the store: one of them may be newer than those that were searched.
      if (!(await chain.settle()))
        throw buildPoolsPendingError(chain.slug, chain.addresses.toShown(mint));
      if (readVersion(chain) === version) throw reason;
      return price(request, caller, options).catch((second: unknown) => {
        throw second instanceof AppError && second.code === 'NO_MARKET' ? reason : second;
      });
    }
  };
}

const FEE_REFUSALS: ReadonlySet<string> = new Set([
  ...['NO_MARKET', 'NO_ROUTE', 'NO_ROUTE_WITHIN_LIMITS', 'VENUE_NOT_SUPPORTED', 'NO_SINGLE_ROUTER'],
  ...['TAX_NOT_SUPPORTED', 'POOLS_NOT_QUOTED', 'INSUFFICIENT_LIQUIDITY', 'ROUTE_TOO_LONG'],
  'EXACT_OUTPUT_NOT_SUPPORTED',
]);

/** Of a limited route: after all lookups, what is missing may be what the caller left out. */
function explainLimits(price: PriceTrade, chains: Pick<TradeChains, 'findAddresses'>): PriceTrade {
  return async (request, caller, options) => {
    try {
      return await price(request, caller, options);
    } catch (error) {
      const isNone = isCode(error, 'NO_MARKET') || isCode(error, 'NO_ROUTE');
      if (!isNone || request.limits === undefined) throw error;
      const { chain, mint, quoteMint, side } = request;
      const addresses = chains.findAddresses(chain);
      const [token, quote] = [addresses.toShown(mint), addresses.toShown(quoteMint)];
      const [from, to] = side === 'buy' ? [quote, token] : [token, quote];
      throw new AppError('NO_ROUTE_WITHIN_LIMITS', { chain, from, to });
    }
  };
}

/** With a fee fewer routers can be used: whether there is a route without it is then asked. */
function explainFee(price: PriceTrade, chains: Pick<TradeChains, 'findAddresses'>): PriceTrade {
  return async (request, caller, options) => {
    try {
      return await price(request, caller, options);
    } catch (error) {
      const isRefused = error instanceof AppError && FEE_REFUSALS.has(error.code);
      if (!isRefused || request.fee === undefined) throw error;
      const { fee: _, ...plain } = request;
      // The answer is this one, too, if there is none.
      const { tokenIn, tokenOut, taxOut } = await price(plain, caller, options);
      const addresses = chains.findAddresses(request.chain);
      const reason =
        taxOut === null
          ? 'no router that can pay a fee reaches pools between them'
          : 'the token deducts a part of its transfers';
      const [from, to] = [tokenIn, tokenOut].map(({ token }) => addresses.toShown(token));
      throw new AppError('FEE_NOT_POSSIBLE', { from: from ?? '', to: to ?? '', reason });
    }
  };
}

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
    price: explainFee(
      explainLimits(
        createExplainedPrice(createPriceOnDemand(createPriceTrade(parts), parts), chains),
        chains,
      ),
      chains,
    ),
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
