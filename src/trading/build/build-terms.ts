// The terms that a quote sets for a build: the higher of the two minimums counts or, if the output
// is given, the lower of the two maximums.

import type { BuiltTransactions } from '../../chains/chain-transactions.ts';
import { AppError } from '../../errors/app-error.ts';
import { maxOf, minOf } from '../../lib/bigint-bounds.ts';
import type { WalletRecord } from '../../model/access-record.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainInfo } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { PricedTrade, TradeRequest } from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import { computeMaximum, computeMinimum } from '../quote/trade-amounts.ts';
import { NO_LIMITS } from '../routing/route-limits.ts';
import { computeExecutionPrice, FREE_UNITS } from '../routing/trade-prices.ts';

// Limits that follow a simulation which is better than the price: what the price model did not see
// must not be left to whoever moves the pools before the trade.

type Simulated = NonNullable<BuiltTransactions['simulation']>;

/** Whether the router is told what to spend; otherwise it is told what to pay. */
function isInputFixed({ request, isInputGiven }: PricedTrade): boolean {
  return request.fixed === 'input' || isInputGiven;
}

type Followed = Pick<
  PricedTrade,
  'amountInRaw' | 'amountOutRaw' | 'maxAmountInRaw' | 'minAmountOutRaw' | 'modelRaw'
>;

function raiseMinimum(trade: PricedTrade, { amountOutRaw }: Simulated): Followed | null {
  if (amountOutRaw <= trade.amountOutRaw) return null;
  const minimum = computeMinimum(amountOutRaw, trade.slippageBps);
  const minAmountOutRaw = maxOf(trade.minAmountOutRaw, minimum);
  return { ...trade, amountOutRaw, minAmountOutRaw, modelRaw: trade.amountOutRaw };
}

function lowerMaximum(trade: PricedTrade, { amountInRaw }: Simulated): Followed | null {
  if (amountInRaw === undefined || amountInRaw >= trade.amountInRaw) return null;
  const maximum = computeMaximum(amountInRaw, trade.slippageBps);
  const maxAmountInRaw = minOf(trade.maxAmountInRaw, maximum);
  return { ...trade, amountInRaw, maxAmountInRaw, modelRaw: trade.amountInRaw };
}

/** Null if the simulation is no better than the price, whose limits are then the tighter ones. */
export function followSimulation(
  trade: PricedTrade,
  { simulation }: BuiltTransactions,
): PricedTrade | null {
  if (simulation === null) return null;
  const followed = isInputFixed(trade)
    ? raiseMinimum(trade, simulation)
    : lowerMaximum(trade, simulation);
  if (followed === null) return null;
  const executionPrice = computeExecutionPrice(
    { in: followed.amountInRaw, out: followed.amountOutRaw },
    {
      side: trade.request.side,
      decimalsIn: trade.tokenIn.decimals,
      decimalsOut: trade.tokenOut.decimals,
    },
  );
  return { ...trade, ...followed, executionPrice };
}

// Whether a signed-in wallet can trade on a chain, and as which address.

/**
 * A key is the same wallet on every chain of its family. A contract wallet is itself on its own
 * chain only: elsewhere its address may belong to someone else.
 */
export function findTraderAddress(
  wallet: WalletRecord,
  { slug: chain, caip2 }: ChainInfo,
  addresses: AddressCodec,
): Address {
  const [namespace] = caip2.split(':');
  const isHere = [namespace, caip2].some((owner) => wallet.id === `${owner}:${wallet.address}`);
  const address = isHere ? addresses.parse(wallet.address) : null;
  if (address === null) throw new AppError('WALLET_CHAIN_MISMATCH', { chain });
  return address;
}

const FIELDS = ['chain', 'mint', 'side', 'slippageBps', 'quoteMint'] as const;

const LIMIT_FIELDS = ['venues', 'excludeVenues', 'directOnly'] as const;

function sortNames(value: readonly string[] | boolean): readonly string[] | boolean {
  return typeof value === 'boolean' ? value : value.toSorted();
}

export function assertFits(terms: QuoteTerms, request: TradeRequest, nowMs: number): void {
  if (terms.expiresAtMs <= nowMs) throw new AppError('QUOTE_EXPIRED', {});
  const quoted = terms.request;
  const isSameAmount = quoted.fixed === request.fixed && quoted.amountRaw === request.amountRaw;
  const amountField = request.fixed === 'input' ? 'amountInRaw' : 'amountOutRaw';
  const differing: string[] = FIELDS.filter((field) => quoted[field] !== request[field]);
  if (!isSameAmount) differing.push(amountField);
  const [limits, others] = [quoted.limits ?? NO_LIMITS, request.limits ?? NO_LIMITS];
  for (const field of LIMIT_FIELDS) {
    const [then, now] = [limits[field], others[field]].map((one) => JSON.stringify(sortNames(one)));
    if (then !== now) differing.push(field);
  }
  if (quoted.fee?.bps !== request.fee?.bps) differing.push('feeBps');
  if (quoted.fee?.recipient !== request.fee?.recipient) differing.push('feeRecipient');
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
