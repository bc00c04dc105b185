// A priced trade as a quote on the wire.

import type { Static } from 'typebox';
import type { quoteSchema } from '../../contract/schemas/trade.ts';
import { toShownAddress } from '../../lib/checksum-address.ts';
import { toUnits } from '../../lib/decimal.ts';
import type {
  NetworkFees,
  PricedTrade,
  TokenSafety,
  TradeAsset,
  TradeLeg,
} from './priced-trade.ts';

export type QuoteAnswer = Static<typeof quoteSchema>;

function toAsset(asset: TradeAsset, amountRaw: bigint) {
  const { token, symbol, decimals, isNative } = asset;
  return {
    mint: toShownAddress(token),
    symbol,
    decimals,
    native: isNative,
    amountRaw: amountRaw.toString(),
    amount: decimals === null ? null : toUnits(amountRaw, decimals),
  };
}

function toLeg({ shareBps, hops }: TradeLeg): QuoteAnswer['route'][number] {
  return {
    shareBps,
    hops: hops.map((hop) => ({
      venue: hop.venue,
      pool: toShownAddress(hop.pool.pool),
      tokenIn: toShownAddress(hop.tokenIn),
      tokenOut: toShownAddress(hop.tokenOut),
      amountInRaw: hop.amountInRaw.toString(),
      amountOutRaw: hop.amountOutRaw.toString(),
      feePips: hop.feePips,
    })),
  };
}

function toNetworkCost(gas: bigint, fees: NetworkFees | null): QuoteAnswer['networkCost'] {
  if (fees === null) return null;
  const { maxFeePerGas } = fees;
  return {
    gas: gas.toString(),
    maxFeePerGas: maxFeePerGas.toString(),
    totalRaw: (gas * maxFeePerGas).toString(),
  };
}

function toSafety(safety: TokenSafety | null): QuoteAnswer['tokenSafety'] {
  if (safety === null) return null;
  const { buyTaxBps, sellTaxBps, sellable, checkedAtMs } = safety;
  return { buyTaxBps, sellTaxBps, sellable, checkedAt: checkedAtMs };
}

export interface QuoteFrame {
  readonly quoteId: string;
  readonly expiresAtMs: number;
  readonly nowMs: number;
}

export function toQuoteAnswer(trade: PricedTrade, frame: QuoteFrame): QuoteAnswer {
  const { request, state } = trade;
  return {
    quoteId: frame.quoteId,
    chain: request.chain,
    mint: toShownAddress(request.mint),
    side: request.side,
    input: toAsset(trade.tokenIn, trade.amountInRaw),
    output: {
      ...toAsset(trade.tokenOut, trade.amountOutRaw),
      minAmountRaw: trade.minAmountOutRaw.toString(),
    },
    slippageBps: request.slippageBps,
    spotPrice: trade.spotPrice,
    executionPrice: trade.executionPrice,
    priceImpactBps: trade.priceImpactBps,
    route: trade.legs.map(toLeg),
    fees: trade.fees.map(({ kind, bps, amountRaw, token }) => ({
      kind,
      bps,
      amountRaw: amountRaw.toString(),
      mint: toShownAddress(token),
    })),
    networkCost: toNetworkCost(trade.gas, trade.networkFees),
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
