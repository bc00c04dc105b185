// A priced trade as a quote response.

import type { Static } from 'typebox';
import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { quoteSchema } from '../../contract/schemas/trade-schemas.ts';
import { toUnits } from '../../lib/decimal.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { TokenSafety } from '../graph/safety-book.ts';
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

function priceCost(units: bigint, fees: NetworkFees | null): QuoteAnswer['networkCost'] {
  if (fees === null) return null;
  const { perUnitMax } = fees;
  return {
    gas: units.toString(),
    maxFeePerGas: perUnitMax.toString(),
    totalRaw: (units * perUnitMax).toString(),
  };
}

function toSafety(safety: TokenSafety | null): QuoteAnswer['tokenSafety'] {
  if (safety === null) return null;
  const { buyTaxBps, sellTaxBps, sellable, checkedAtMs } = safety;
  return { buyTaxBps, sellTaxBps, sellable, checkedAt: checkedAtMs };
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
  return {
    quoteId: frame.quoteId,
    chain: request.chain,
    mint: addresses.toShown(request.mint),
    side: request.side,
    input: describeAsset(frame, trade.tokenIn, trade.amountInRaw),
    output: {
      ...describeAsset(frame, trade.tokenOut, trade.amountOutRaw),
      minAmountRaw: trade.minAmountOutRaw.toString(),
    },
    slippageBps: request.slippageBps,
    spotPrice: trade.spotPrice,
    executionPrice: trade.executionPrice,
    priceImpactBps: trade.priceImpactBps,
    route: trade.legs.map((leg) => describeLeg(frame, leg)),
    fees: trade.fees.map(({ kind, bps, amountRaw, token }) => ({
      kind,
      bps,
      amountRaw: amountRaw.toString(),
      mint: addresses.toShown(token),
    })),
    networkCost: priceCost(trade.costUnits, trade.networkFees),
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
