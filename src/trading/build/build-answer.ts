// A built trade as a response, including what the wallet lacks.

import type { BuiltTransactions, TradingWallet } from '../../chains/chain-transactions.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { buildTrade } from '../../contract/operations/build-trade.ts';
import { toUnits } from '../../lib/decimal.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainInfo } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { PricedTrade, TradeAsset } from '../quote/priced-trade.ts';
import type { QuoteAnswer } from '../quote/quote-answer.ts';
import type { TradeSplit } from './split-trade.ts';

// What a built trade will do, as lines for the person who signs it.

interface SummaryFacts {
  readonly chain: ChainInfo;
  readonly trade: PricedTrade;
  readonly wallet: Address;
  readonly addresses: AddressCodec;
  /** The page of an explorer about the traded token; null if there is none. */
  readonly tokenPage: string | null;
  /** What each transaction is for, in signing order. */
  readonly purposes: readonly string[];
  /** Until when the swap can be executed. */
  readonly end: string;
  /** The maximum cost of all of them. */
  readonly feesRaw: bigint;
  /** What the wallet lacks, each as a line. */
  readonly missing: readonly string[];
}

/** Anybody can copy a symbol, so the address is shown with it. */
function formatAsset(asset: TradeAsset, addresses: AddressCodec): string {
  if (asset.isNative) return asset.symbol ?? 'native coin';
  return `${asset.symbol ?? 'token'} (${addresses.toShown(asset.token)})`;
}

/** More digits do not help a person. */
const DIGITS_SHOWN = 8;

/** How many digits of a fraction are shown. */
function countShownDigits(whole: string, fraction: string): number {
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  return Math.max(0, whole === '0' ? zeros + DIGITS_SHOWN : DIGITS_SHOWN - whole.length);
}

/** Truncated, not rounded: the user never receives less than shown. */
function cutDigits(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction === '') return whole;
  const kept = fraction.slice(0, countShownDigits(whole, fraction)).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** Rounded up: the user never pays more than shown. */
export function roundUp(amountRaw: bigint, decimals: number): string {
  const [whole = '', fraction = ''] = toUnits(amountRaw, decimals).split('.');
  const step = 10n ** BigInt(decimals - Math.min(decimals, countShownDigits(whole, fraction)));
  return toUnits(((amountRaw + step - 1n) / step) * step, decimals);
}

function formatAmount(asset: TradeAsset, amountRaw: bigint): string {
  const { decimals, symbol } = asset;
  if (decimals === null) return `${amountRaw} of the smallest units`;
  return `${toUnits(amountRaw, decimals)} ${symbol ?? 'tokens'}`;
}

function formatShortAmount(asset: TradeAsset, amountRaw: bigint): string {
  const { decimals, symbol } = asset;
  if (decimals === null) return formatAmount(asset, amountRaw);
  return `${cutDigits(toUnits(amountRaw, decimals))} ${symbol ?? 'tokens'}`;
}

function formatRoundedUp(asset: TradeAsset, amountRaw: bigint): string {
  const { decimals, symbol } = asset;
  if (decimals === null) return formatAmount(asset, amountRaw);
  return `${roundUp(amountRaw, decimals)} ${symbol ?? 'tokens'}`;
}

function formatPercent(bps: number): string {
  return `${Number((bps / 100).toFixed(2))} %`;
}

/** The maximum number of routes listed; the rest is only counted. */
const ROUTES_SHOWN = 4;

function describeRoute({ legs }: PricedTrade): string {
  const shown = legs.toSorted((a, b) => b.shareBps - a.shareBps).slice(0, ROUTES_SHOWN);
  const parts = shown.map(({ shareBps, hops }) => {
    const venues = hops.map(({ venue }) => venue).join(' → ');
    return legs.length === 1 ? venues : `${formatPercent(shareBps)} by ${venues}`;
  });
  const rest = legs.length - shown.length;
  return `Route: ${parts.join(', ')}${rest > 0 ? ` and ${rest} smaller ones` : ''}`;
}

function listDuties(purposes: readonly string[]): string[] {
  return purposes.map((purpose, index) => `Sign ${index + 1} of ${purposes.length}: ${purpose}`);
}

function describeTaxes({ taxIn, taxOut, fees }: PricedTrade): string[] {
  const taxes = [taxIn, taxOut].filter((tax) => tax !== null);
  const transfers = fees.filter(({ kind }) => kind === 'transfer');
  return [...taxes, ...transfers].map(
    ({ bps }) => `The token deducts ${formatPercent(bps)} of the transfer`,
  );
}

function describeFee(trade: PricedTrade, addresses: AddressCodec): string[] {
  const { integratorFee: fee, tokenOut } = trade;
  if (fee === null) return [];
  const amount = formatShortAmount(tokenOut, fee.amountRaw);
  const to = addresses.toShown(fee.recipient);
  return [
    `Of what the pools pay ${formatPercent(fee.bps)} (about ${amount}) goes to ${to}, the app's fee`,
  ];
}

function describeAmounts(trade: PricedTrade): string[] {
  const { request, tokenIn, tokenOut, amountInRaw, amountOutRaw } = trade;
  if (request.fixed === 'input') {
    return [
      `You pay ${formatAmount(tokenIn, amountInRaw)}`,
      `You receive about ${formatShortAmount(tokenOut, amountOutRaw)}`,
      `At least ${formatShortAmount(tokenOut, trade.minAmountOutRaw)}, or nothing happens`,
    ];
  }
  if (trade.isInputGiven) {
    return [
      `You receive about ${formatShortAmount(tokenOut, amountOutRaw)}`,
      `At least ${formatAmount(tokenOut, trade.minAmountOutRaw)}, or nothing happens`,
      `You pay ${formatRoundedUp(tokenIn, amountInRaw)}`,
    ];
  }
  return [
    `You receive ${formatAmount(tokenOut, request.amountRaw)}`,
    `You pay about ${formatRoundedUp(tokenIn, amountInRaw)}`,
    `At most ${formatRoundedUp(tokenIn, trade.maxAmountInRaw)}, or nothing happens`,
  ];
}

function describeModel(trade: PricedTrade): string[] {
  const { modelRaw, request, isInputGiven, tokenIn, tokenOut } = trade;
  if (modelRaw === undefined) return [];
  if (request.fixed === 'input' || isInputGiven) {
    const amount = formatShortAmount(tokenOut, modelRaw);
    return [`The simulation paid more than the ${amount} of the price; the minimum follows it`];
  }
  const amount = formatRoundedUp(tokenIn, modelRaw);
  return [`The simulation took less than the ${amount} of the price; the maximum follows it`];
}

export function writeSummary(facts: SummaryFacts): string[] {
  const { trade, wallet, purposes, end, feesRaw, addresses, tokenPage } = facts;
  const { request, tokenIn, tokenOut } = trade;
  const { name, native } = facts.chain;
  const [token, quote] = request.side === 'buy' ? [tokenOut, tokenIn] : [tokenIn, tokenOut];
  const verb = request.side === 'buy' ? 'Buy' : 'Sell';
  const link = request.side === 'buy' ? 'with' : 'for';
  const names = [token, quote].map((asset) => formatAsset(asset, addresses));
  const price = trade.executionPrice === null ? [] : [writePriceLine(trade, { token, quote })];
  return [
    `${verb} ${names.join(` ${link} `)} on ${name}`,
    ...describeAmounts(trade),
    ...describeModel(trade),
    ...price,
    describeRoute(trade),
    ...describeTaxes(trade),
    ...describeFee(trade, addresses),
    `Network fees: at most ${roundUp(feesRaw, native.decimals)} ${native.symbol}`,
    `From and to your wallet ${addresses.toShown(wallet)}`,
    `Void after ${end}`,
    ...(tokenPage === null ? [] : [`About the token: ${tokenPage}`]),
    ...listDuties(purposes),
    ...facts.missing,
    ...trade.warnings.map(({ message }) => `Warning: ${message}`),
  ];
}

function writePriceLine(
  trade: PricedTrade,
  assets: { readonly token: TradeAsset; readonly quote: TradeAsset },
): string {
  const { token, quote } = assets;
  const price = cutDigits(trade.executionPrice ?? '');
  const each = `${price} ${quote.symbol ?? 'quote tokens'} per ${token.symbol ?? 'token'}`;
  return `Price: ${each}; the trade itself moves it by ${formatPercent(trade.priceImpactBps)}`;
}

export type BuildAnswer = OutputOf<typeof buildTrade>;
type Issues = BuildAnswer['issues'];

interface BuiltFacts {
  readonly chain: ChainInfo;
  readonly trade: PricedTrade;
  readonly quote: QuoteAnswer;
  readonly wallet: Address;
  readonly funds: Pick<TradingWallet, 'nativeRaw' | 'balanceRaw'>;
  readonly built: BuiltTransactions;
  readonly block: number;
  readonly addresses: AddressCodec;
  /** The page of an explorer about the traded token; null if there is none. */
  readonly tokenPage: string | null;
  /** The same trade over several routers, if that pays more. */
  readonly split: TradeSplit | null;
}

function findAllowanceIssue({ trade, built, addresses }: BuiltFacts): Issues['allowance'] {
  const { allowance } = built;
  if (allowance === null) return undefined;
  return {
    mint: addresses.toShown(trade.tokenIn.token),
    spender: addresses.toShown(allowance.spender),
    requiredRaw: allowance.requiredRaw.toString(),
    actualRaw: allowance.actualRaw.toString(),
  };
}

function findIssues(facts: BuiltFacts): Issues {
  const { trade, funds, built, addresses } = facts;
  const { maxAmountInRaw: amountInRaw, tokenIn } = trade;
  const buildShortfall = (token: Address, requiredRaw: bigint, actualRaw: bigint) => ({
    mint: addresses.toShown(token),
    requiredRaw: requiredRaw.toString(),
    actualRaw: actualRaw.toString(),
  });
  const nativeRequired = built.feesRaw + (tokenIn.isNative ? amountInRaw : 0n);
  const allowance = findAllowanceIssue(facts);
  return {
    ...(funds.balanceRaw < amountInRaw
      ? { balance: buildShortfall(tokenIn.token, amountInRaw, funds.balanceRaw) }
      : {}),
    ...(allowance === undefined ? {} : { allowance }),
    ...(funds.nativeRaw < nativeRequired
      ? { nativeForFees: buildShortfall(addresses.native, nativeRequired, funds.nativeRaw) }
      : {}),
  };
}

function describeMissing(facts: BuiltFacts, issues: Issues): string[] {
  const { trade, funds, chain } = facts;
  const { native } = chain;
  const lines: string[] = [];
  // If the native coin is spent, what is missing of it is listed once, including the fees.
  if (issues.balance !== undefined && !trade.tokenIn.isNative) {
    const missing = trade.maxAmountInRaw - funds.balanceRaw;
    lines.push(`Missing: your wallet lacks ${formatAmount(trade.tokenIn, missing)}`);
  }
  if (issues.nativeForFees !== undefined) {
    const missing = BigInt(issues.nativeForFees.requiredRaw) - funds.nativeRaw;
    const amount = toUnits(missing, native.decimals);
    lines.push(`Missing: your wallet lacks ${amount} ${native.symbol}, including fees`);
  }
  return lines;
}

function summariseSimulation(facts: BuiltFacts, issues: Issues): BuildAnswer['simulation'] {
  const { built, block } = facts;
  const { simulation } = built;
  if (simulation === null) {
    return { status: 'skipped', assumed: [], amountOutRaw: null, gasUsed: null, block };
  }
  return {
    status: 'ok',
    assumed: [
      ...(simulation.isBalanceAssumed ? (['balance'] as const) : []),
      ...(issues.nativeForFees === undefined ? [] : (['nativeForFees'] as const)),
      ...(built.permit === null ? [] : (['permit'] as const)),
    ],
    ...(simulation.amountInRaw === undefined
      ? {}
      : { amountInRaw: simulation.amountInRaw.toString() }),
    amountOutRaw: simulation.amountOutRaw.toString(),
    gasUsed: simulation.unitsUsed.toString(),
    block,
    ...(simulation.timeSeconds === undefined ? {} : { blockTime: simulation.timeSeconds * 1000 }),
  };
}

/** In place of the model's. */
function describeBuiltCost({ cost }: BuiltTransactions): Partial<QuoteAnswer> {
  if (cost === undefined) return {};
  const { tipRaw = 0n } = cost;
  const parts = [cost.baseRaw, cost.priorityRaw, cost.rentRaw, cost.rentReturnedRaw, tipRaw];
  return {
    networkCost: {
      computeUnits: cost.units.toString(),
      computeUnitPriceMicroLamports: cost.unitPrice.toString(),
      baseFeeRaw: cost.baseRaw.toString(),
      priorityFeeRaw: cost.priorityRaw.toString(),
      rentRaw: cost.rentRaw.toString(),
      rentReturnedRaw: cost.rentReturnedRaw.toString(),
      ...(tipRaw === 0n ? {} : { tipRaw: tipRaw.toString() }),
      totalRaw: parts.reduce((sum, part) => sum + part, 0n).toString(),
    },
  };
}

/** Until when the swap can be executed. */
function describeEnd({ deadlineSeconds, transactions }: BuiltTransactions): string {
  if (deadlineSeconds !== null) {
    return new Date(deadlineSeconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  }
  const heights = transactions.flatMap(({ unsigned }) =>
    unsigned.type === 'solana-v0' ? [unsigned.lastValidBlockHeight] : [],
  );
  return `block height ${Math.min(...heights)}, in about a minute`;
}

function describeSplit({ split, trade }: BuiltFacts): BuildAnswer['split'] {
  if (split === null) return null;
  const { parts, batch, minAmountOutRaw, gainBps } = split;
  const names = parts.map(({ router }) => router).join(', ');
  const [most, least] = [batch.amountOutRaw, minAmountOutRaw].map((raw) =>
    formatShortAmount(trade.tokenOut, raw),
  );
  return {
    walletCalls: batch.walletCalls,
    deadline: batch.deadlineSeconds * 1000,
    amountOutRaw: batch.amountOutRaw.toString(),
    minAmountOutRaw: minAmountOutRaw.toString(),
    gainBps,
    parts: parts.map((part) => ({
      router: part.router,
      amountInRaw: part.amountInRaw.toString(),
      amountOutRaw: part.amountOutRaw.toString(),
      minAmountOutRaw: part.minAmountOutRaw.toString(),
    })),
    summary: [
      `In one batch over ${parts.length} calls (${names}) you receive about ${most}, ${formatPercent(gainBps)} more after fees`,
      `At least ${least}: each router enforces its own part of it`,
      'That all calls happen, or none, is up to your wallet: it must execute them atomically',
      `${batch.walletCalls.calls.length} calls, signed once`,
    ],
  };
}

export function createBuildAnswer(facts: BuiltFacts): BuildAnswer {
  const { trade, wallet, built, addresses, tokenPage } = facts;
  const { feesRaw, transactions, permit, walletCalls } = built;
  const issues = findIssues(facts);
  const deadlineMs = built.deadlineSeconds === null ? null : built.deadlineSeconds * 1000;
  return {
    quote: { ...facts.quote, ...describeBuiltCost(built) },
    wallet: addresses.toShown(wallet),
    recipient: addresses.toShown(wallet),
    deadline: deadlineMs,
    simulation: summariseSimulation(facts, issues),
    issues,
    summary: writeSummary({
      ...{ chain: facts.chain, trade, wallet, feesRaw, addresses, tokenPage },
      end: describeEnd(built),
      purposes: [...transactions, ...(permit === null ? [] : [permit])].map(
        ({ purpose }) => purpose,
      ),
      missing: describeMissing(facts, issues),
    }),
    transactions: transactions.map(({ unsigned }) => unsigned),
    ...(permit === null ? {} : { permit: permit.message }),
    ...(walletCalls === null ? {} : { walletCalls }),
    split: describeSplit(facts),
  };
}
