// What a built trade will do, as lines for the person who signs it.

import type { ChainExplorer } from '../../chains/family.ts';
import { toUnits } from '../../lib/decimal.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import { CHAINS } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { PricedTrade, TradeAsset } from '../quote/priced-trade.ts';

interface SummaryFacts {
  readonly trade: PricedTrade;
  readonly wallet: Address;
  readonly addresses: AddressCodec;
  readonly explorer: ChainExplorer | null;
  /** What each transaction is for, in signing order. */
  readonly purposes: readonly string[];
  readonly deadlineMs: number;
  /** The maximum cost of all of them. */
  readonly feesRaw: bigint;
  /** What the wallet lacks, each as a line. */
  readonly missing: readonly string[];
}

/** Anybody can copy a symbol, so the address is shown with it. */
function toName(asset: TradeAsset, addresses: AddressCodec): string {
  if (asset.isNative) return asset.symbol ?? 'native coin';
  return `${asset.symbol ?? 'token'} (${addresses.toShown(asset.token)})`;
}

/** More digits do not help a person. */
const DIGITS_SHOWN = 8;

/** How many digits of a fraction are shown. */
function toRoom(whole: string, fraction: string): number {
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  return Math.max(0, whole === '0' ? zeros + DIGITS_SHOWN : DIGITS_SHOWN - whole.length);
}

/** Truncated, not rounded: the user never receives less than shown. */
function cutDigits(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction === '') return whole;
  const kept = fraction.slice(0, toRoom(whole, fraction)).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** Rounded up: the user never pays more than shown. */
export function toCeiling(amountRaw: bigint, decimals: number): string {
  const [whole = '', fraction = ''] = toUnits(amountRaw, decimals).split('.');
  const step = 10n ** BigInt(decimals - Math.min(decimals, toRoom(whole, fraction)));
  return toUnits(((amountRaw + step - 1n) / step) * step, decimals);
}

export function toShownAmount(asset: TradeAsset, amountRaw: bigint): string {
  const { decimals, symbol } = asset;
  if (decimals === null) return `${amountRaw} of the smallest units`;
  return `${toUnits(amountRaw, decimals)} ${symbol ?? 'tokens'}`;
}

function toShortAmount(asset: TradeAsset, amountRaw: bigint): string {
  const { decimals, symbol } = asset;
  if (decimals === null) return toShownAmount(asset, amountRaw);
  return `${cutDigits(toUnits(amountRaw, decimals))} ${symbol ?? 'tokens'}`;
}

function toPercent(bps: number): string {
  return `${Number((bps / 100).toFixed(2))} %`;
}

/** The maximum number of routes listed; the rest is only counted. */
const ROUTES_SHOWN = 4;

function toRoute({ legs }: PricedTrade): string {
  const shown = legs.toSorted((a, b) => b.shareBps - a.shareBps).slice(0, ROUTES_SHOWN);
  const parts = shown.map(({ shareBps, hops }) => {
    const venues = hops.map(({ venue }) => venue).join(' → ');
    return legs.length === 1 ? venues : `${toPercent(shareBps)} by ${venues}`;
  });
  const rest = legs.length - shown.length;
  return `Route: ${parts.join(', ')}${rest > 0 ? ` and ${rest} smaller ones` : ''}`;
}

function toDuties(purposes: readonly string[]): string[] {
  return purposes.map((purpose, index) => `Sign ${index + 1} of ${purposes.length}: ${purpose}`);
}

function toTaxes({ taxIn, taxOut }: PricedTrade): string[] {
  const taxes = [taxIn, taxOut].filter((tax) => tax !== null);
  return taxes.map(({ bps }) => `The token deducts ${toPercent(bps)} of the transfer`);
}

export function toSummary(facts: SummaryFacts): string[] {
  const { trade, wallet, purposes, deadlineMs, feesRaw, addresses, explorer } = facts;
  const { request, tokenIn, tokenOut, amountInRaw, amountOutRaw, minAmountOutRaw } = trade;
  const { name, native } = CHAINS[request.chain];
  const [token, quote] = request.side === 'buy' ? [tokenOut, tokenIn] : [tokenIn, tokenOut];
  const verb = request.side === 'buy' ? 'Buy' : 'Sell';
  const link = request.side === 'buy' ? 'with' : 'for';
  const names = [token, quote].map((asset) => toName(asset, addresses));
  const price = trade.executionPrice === null ? [] : [toPriceLine(trade, { token, quote })];
  const isShown = explorer !== null && !token.isNative;
  return [
    `${verb} ${names.join(` ${link} `)} on ${name}`,
    `You pay ${toShownAmount(tokenIn, amountInRaw)}`,
    `You receive about ${toShortAmount(tokenOut, amountOutRaw)}`,
    `At least ${toShortAmount(tokenOut, minAmountOutRaw)}, or nothing happens`,
    ...price,
    toRoute(trade),
    ...toTaxes(trade),
    `Network fees: at most ${toCeiling(feesRaw, native.decimals)} ${native.symbol}`,
    `From and to your wallet ${addresses.toShown(wallet)}`,
    `Void after ${new Date(deadlineMs).toISOString().replace(/\.\d+Z$/, 'Z')}`,
    ...(isShown ? [`About the token: ${explorer.token(token.token)}`] : []),
    ...toDuties(purposes),
    ...facts.missing,
    ...trade.warnings.map(({ message }) => `Warning: ${message}`),
  ];
}

function toPriceLine(
  trade: PricedTrade,
  assets: { readonly token: TradeAsset; readonly quote: TradeAsset },
): string {
  const { token, quote } = assets;
  const price = cutDigits(trade.executionPrice ?? '');
  const each = `${price} ${quote.symbol ?? 'quote tokens'} per ${token.symbol ?? 'token'}`;
  return `Price: ${each}; the trade itself moves it by ${toPercent(trade.priceImpactBps)}`;
}
