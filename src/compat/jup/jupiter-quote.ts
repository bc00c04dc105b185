// A quote as clients of the Jupiter API read it.

import { type Ask, type Asked, type CompatRequest, readList } from '../../contract/compat-route.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { AppError } from '../../errors/app-error.ts';
import { ratioToText, textToDecimal, toRatio } from '../../lib/decimal.ts';
import { refuse } from './jupiter-errors.ts';
import { findLabelledVenue, LABELLED_VENUES, toVenueLabel } from './venue-labels.ts';

/** These clients name the coin by its wrapped token, which their swaps wrap and unwrap. */
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const NATIVE_SOL = '1'.repeat(32);

/** The fields that a quote has again when a client sends it to be swapped. */
export interface JupiterTrade {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly amount: string;
  readonly swapMode: 'ExactIn' | 'ExactOut';
  readonly slippageBps: number;
}

function readText(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  return refuse(`Query parameter ${name} is required`);
}

const DIGITS = /^\d+$/;

/** Some clients send numbers as texts, some texts as numbers. */
function readInteger(value: unknown, name: string): number {
  const text = String(value);
  if (DIGITS.test(text) && text.length <= 15) return Number(text);
  return refuse(`Query parameter ${name} cannot be parsed: ParseIntError { kind: InvalidDigit }`);
}

/** `amountOf` is where the fixed amount stands: it has another name in a quote's answer. */
export function readTrade(
  fields: Readonly<Record<string, unknown>>,
  amountOf: (mode: JupiterTrade['swapMode']) => string,
): JupiterTrade {
  const { swapMode = 'ExactIn', slippageBps = 50 } = fields;
  if (swapMode !== 'ExactIn' && swapMode !== 'ExactOut') {
    return refuse('Query parameter swapMode cannot be parsed: unknown variant');
  }
  const name = amountOf(swapMode);
  const amount = readText(fields[name], name);
  if (!DIGITS.test(amount)) {
    refuse(`Query parameter ${name} cannot be parsed: ParseIntError { kind: InvalidDigit }`);
  }
  const inputMint = readText(fields['inputMint'], 'inputMint');
  const outputMint = readText(fields['outputMint'], 'outputMint');
  if (inputMint === outputMint) {
    refuse('Input and output mints are not allowed to be equal', 'CIRCULAR_ARBITRAGE_IS_DISABLED');
  }
  const slippage = readInteger(slippageBps, 'slippageBps');
  return { inputMint, outputMint, amount, swapMode, slippageBps: slippage };
}

/** A trade as our operations take it. The coin is meant by its wrapped token, unless told. */
export function toTradeInput(chain: string, trade: JupiterTrade, isWrapped = false) {
  const { inputMint, outputMint, swapMode, slippageBps } = trade;
  const toOurs = (mint: string) => (mint === WRAPPED_SOL && !isWrapped ? NATIVE_SOL : mint);
  const [from, to] = [toOurs(inputMint), toOurs(outputMint)];
  const amount = trade.amount.replace(/^0+(?=\d)/, '');
  return {
    chain,
    // A purchase is told by what is bought with the coin, any other trade by what is sold.
    ...(from === NATIVE_SOL || from === WRAPPED_SOL
      ? { side: 'buy', mint: to, quoteMint: from }
      : { side: 'sell', mint: from, quoteMint: to }),
    ...(swapMode === 'ExactIn' ? { amountInRaw: amount } : { amountOutRaw: amount }),
    slippageBps,
  };
}

/** More of them are given by those that remain. */
const VENUES_MAX = 8;

/** Which exchanges a route may use, from labels; empty if that is not limited. */
function readVenues(query: URLSearchParams) {
  const findVenues = (name: string) =>
    readList(query, name).flatMap((label) => findLabelledVenue(label) ?? []);
  const excluded = findVenues('excludeDexes');
  if (readList(query, 'dexes').length === 0) {
    return excluded.length === 0 ? {} : { excludeVenues: excluded };
  }
  const venues = findVenues('dexes').filter((one) => !excluded.includes(one));
  if (venues.length === 0) refuse('Could not find any route', 'COULD_NOT_FIND_ANY_ROUTE');
  if (venues.length <= VENUES_MAX) return { venues };
  return { excludeVenues: LABELLED_VENUES.filter((one) => !venues.includes(one)) };
}

export function readQuoteInput(chain: string, { query }: CompatRequest) {
  if (Number(query.get('platformFeeBps') ?? 0) > 0) {
    refuse('platformFeeBps is not supported by this server', 'NOT_SUPPORTED');
  }
  const trade = readTrade(Object.fromEntries(query), () => 'amount');
  return {
    trade,
    input: {
      ...toTradeInput(chain, trade),
      ...readVenues(query),
      ...(query.get('onlyDirectRoutes') === 'true' ? { directOnly: true } : {}),
    },
  };
}

type Quote = Asked<typeof quoteTrade>;

type TradeFields = ReturnType<typeof toTradeInput> & Readonly<Record<string, unknown>>;

/** Errors about a mint name it as these clients do. */
export async function askQuote(ask: Ask, trade: JupiterTrade, input: TradeFields): Promise<Quote> {
  try {
    return await ask(quoteTrade, input);
  } catch (error) {
    const [fault] = error instanceof AppError ? (error.errors ?? []) : [];
    if (fault?.path !== 'mint' && fault?.path !== 'quoteMint') throw error;
    const mint = toTheirs(input[fault.path]);
    if (error instanceof AppError && error.code === 'INVALID_ADDRESS') {
      const name = mint === trade.inputMint ? 'inputMint' : 'outputMint';
      return refuse(`Query parameter ${name} cannot be parsed: ${fault.message}`);
    }
    return refuse(`The token ${mint} is not tradable`, 'TOKEN_NOT_TRADABLE');
  }
}

const toTheirs = (mint: string) => (mint === NATIVE_SOL ? WRAPPED_SOL : mint);

/** A fraction, such as `0.0012` for 12 basis points, without an exponent. */
function toFraction(bps: number): string {
  return (bps / 10_000).toFixed(12).replace(/\.?0+$/, '');
}

/** What the token of the trade is worth by its market price; null if it has none. */
function computeUsdValue({ side, input, output, marketPriceUsd }: Quote): string | null {
  const { amount } = side === 'buy' ? output : input;
  if (amount === null || marketPriceUsd === null) return null;
  const [left, right] = [textToDecimal(amount), textToDecimal(marketPriceUsd)];
  const scale = left.scale + right.scale;
  return ratioToText(toRatio({ digits: left.digits * right.digits, scale }));
}

/** Whole per cents that add up to 100; `bps` is the exact share. */
function listPercents(route: OutputOf<typeof quoteTrade>['route']): number[] {
  let sum = 0;
  return route.map(({ shareBps }) => {
    const before = Math.round(sum / 100);
    sum += shareBps;
    return Math.round(sum / 100) - before;
  });
}

function listSteps(route: OutputOf<typeof quoteTrade>['route']) {
  const percents = listPercents(route);
  return route.flatMap(({ hops, shareBps }, leg) =>
    hops.map((hop, index) => ({
      swapInfo: {
        ammKey: hop.pool,
        label: toVenueLabel(hop.venue),
        inputMint: toTheirs(hop.tokenIn),
        outputMint: toTheirs(hop.tokenOut),
        inAmount: hop.amountInRaw,
        outAmount: hop.amountOutRaw,
      },
      // The share of what the step's input is: a later hop takes all of the one before.
      percent: index === 0 ? (percents[leg] ?? 0) : 100,
      bps: index === 0 ? shareBps : 10_000,
    })),
  );
}

export function toJupiterQuote(trade: JupiterTrade, quote: Quote, tookMs: number) {
  const { input, output } = quote;
  const threshold = trade.swapMode === 'ExactIn' ? output.minAmountRaw : input.maxAmountRaw;
  return {
    inputMint: trade.inputMint,
    inAmount: input.amountRaw,
    outputMint: trade.outputMint,
    outAmount: output.amountRaw,
    otherAmountThreshold: threshold,
    swapMode: trade.swapMode,
    slippageBps: quote.slippageBps,
    platformFee: null,
    priceImpactPct: toFraction(quote.priceImpactBps),
    routePlan: listSteps(quote.route),
    contextSlot: quote.state.block,
    timeTaken: tookMs / 1000,
    swapUsdValue: computeUsdValue(quote),
  };
}
