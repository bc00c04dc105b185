// A priced trade as a quote response.

import type { Static } from 'typebox';
import type { quoteSchema } from '../../contract/schemas/trade-schemas.ts';
import { toUnits } from '../../lib/decimal.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { TokenSafety } from '../graph/safety-cache.ts';
import type { AutoSlippage } from './auto-slippage.ts';
import { computeNetworkCost } from './network-cost.ts';
import type { PricedTrade, TradeAsset, TradeLeg } from './priced-trade.ts';

export type QuoteAnswer = Static<typeof quoteSchema>;

function describeAsset({ addresses }: QuoteFrame, asset: TradeAsset, amountRaw: bigint) {
  const { token, symbol, decimals, isNative } = asset;
  return {
    mint: addresses.toShown(token),
    symbol,
    decimals,
    native: isNative,
    amountRaw: amountRaw.toString(),
    amount: decimals === null ? null : toUnits(amountRaw, decimals),
  };
}

function describeLeg(
  { addresses }: QuoteFrame,
  { shareBps, hops }: TradeLeg,
): QuoteAnswer['route'][number] {
  return {
    shareBps,
    hops: hops.map((hop) => ({
      venue: hop.venue,
      pool: addresses.toShown(hop.pool.pool),
      tokenIn: addresses.toShown(hop.tokenIn),
      tokenOut: addresses.toShown(hop.tokenOut),
      amountInRaw: hop.amountInRaw.toString(),
      amountOutRaw: hop.amountOutRaw.toString(),
      feePips: hop.feePips,
    })),
  };
}

/** Tokens that the wallet receives on the way; wrapped coins do not stay. */
function countOpened({ swapPaths, tokenIn, tokenOut }: PricedTrade): number {
  const received = new Set(swapPaths.flatMap(({ hops }) => hops.map((hop) => hop.tokenOut)));
  received.delete(tokenIn.token);
  const isNative = tokenIn.isNative || tokenOut.isNative;
  return Math.max(0, received.size - (isNative && tokenOut.isNative ? 1 : 0));
}

function describeCost(trade: PricedTrade): QuoteAnswer['networkCost'] {
  const { networkFees } = trade;
  const cost = computeNetworkCost({ ...trade, accountCount: countOpened(trade) }, networkFees);
  if (cost === null || networkFees === null) return null;
  const { parts } = cost;
  if (parts !== undefined) {
    return {
      computeUnits: cost.units.toString(),
      computeUnitPriceMicroLamports: networkFees.perUnitMax.toString(),
      baseFeeRaw: parts.baseRaw.toString(),
      priorityFeeRaw: parts.unitsRaw.toString(),
      rentRaw: parts.accountsRaw.toString(),
      totalRaw: cost.totalRaw.toString(),
    };
  }
  return {
    gas: cost.units.toString(),
    maxFeePerGas: networkFees.perUnitMax.toString(),
    dataFeeRaw: cost.dataFeeRaw.toString(),
    totalRaw: cost.totalRaw.toString(),
  };
}

function toSafety(safety: TokenSafety | null): QuoteAnswer['tokenSafety'] {
  if (safety === null) return null;
  const { buyTaxBps, sellTaxBps, sellable, checkedAtMs } = safety;
  return { buyTaxBps, sellTaxBps, sellable, checkedAt: checkedAtMs };
}

function describeAuto(auto: AutoSlippage): NonNullable<QuoteAnswer['autoSlippage']> {
  const { movementBps, windowMs } = auto;
  const minutes = windowMs / 60_000;
  const reason =
    movementBps === null
      ? `No pool of the route traded in the last ${minutes} minutes: the usual 0.5 %.`
      : `Prices on the route moved by up to ${movementBps / 100} % within a minute in the last ${minutes} minutes; 0.2 % is added, and the bound is from 0.3 % to 5 %.`;
  return { movementBps, windowMs, reason };
}

const BPS = 10_000;

/**
 * How much worse the trade is than the market's price, with all fees; negative if it is better.
 * Floating point: the market's price is an estimate.
 */
export function computeAgainstMarketBps(
  { executionPrice, marketUsd }: Pick<PricedTrade, 'executionPrice' | 'marketUsd'>,
  side: 'buy' | 'sell',
): number | null {
  if (executionPrice === null || marketUsd.token === null || marketUsd.quote === null) return null;
  const market = Number(marketUsd.token);
  if (!(market > 0)) return null;
  const paid = Number(executionPrice) * Number(marketUsd.quote);
  const bps = (paid / market - 1) * (side === 'buy' ? BPS : -BPS);
  return Number.isFinite(bps) ? Math.round(bps * 100) / 100 : null;
}

interface QuoteFrame {
  readonly quoteId: string;
  readonly expiresAtMs: number;
  readonly nowMs: number;
  readonly addresses: AddressCodec;
}

export function buildQuoteAnswer(trade: PricedTrade, frame: QuoteFrame): QuoteAnswer {
  const { request, state } = trade;
  const { addresses } = frame;
  const isOutput = request.fixed === 'output';
  return {
    quoteId: frame.quoteId,
    chain: request.chain,
    mint: addresses.toShown(request.mint),
    side: request.side,
    input: {
      ...describeAsset(frame, trade.tokenIn, trade.amountInRaw),
      ...(isOutput ? { maxAmountRaw: trade.maxAmountInRaw.toString() } : {}),
    },
    output: {
      ...describeAsset(frame, trade.tokenOut, trade.amountOutRaw),
      ...(isOutput ? {} : { minAmountRaw: trade.minAmountOutRaw.toString() }),
    },
    slippageBps: trade.slippageBps,
    ...(trade.autoSlippage === null ? {} : { autoSlippage: describeAuto(trade.autoSlippage) }),
    spotPrice: trade.spotPrice,
    executionPrice: trade.executionPrice,
    priceImpactBps: trade.priceImpactBps,
    marketPriceUsd: trade.marketUsd.token,
    againstMarketBps: computeAgainstMarketBps(trade, request.side),
    route: trade.legs.map((leg) => describeLeg(frame, leg)),
    fees: trade.fees.map(({ kind, bps, amountRaw, token }) => ({
      kind,
      bps,
      amountRaw: amountRaw.toString(),
      mint: addresses.toShown(token),
    })),
    networkCost: describeCost(trade),
    tokenSafety: toSafety(trade.tokenSafety),
    state: {
      block: state.block,
      blockHash: state.blockHash,
      ageMs: Math.max(0, frame.nowMs - state.timestampMs),
    },
    exact: trade.exact,
    expiresAt: frame.expiresAtMs,
    warnings: trade.warnings.map((warning) => ({ ...warning })),
  };
}
