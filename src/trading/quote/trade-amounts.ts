// What a priced trade spends and pays, with its bounds.

import { minOf } from '../../lib/bigint-bounds.ts';
import type { Address } from '../../model/ids.ts';
import { computeTax, type TaxedRoute } from '../routing/find-trade-route.ts';
import type { PricedTrade, TokenTax, TradeAsset, TradeRequest } from './priced-trade.ts';

const BPS = 10_000n;

type PricedAmounts = Pick<
  PricedTrade,
  'amountInRaw' | 'maxAmountInRaw' | 'amountOutRaw' | 'minAmountOutRaw' | 'taxIn' | 'taxOut'
>;

function buildTokenTax(token: Address, bps: number, amountRaw: bigint): TokenTax | null {
  return bps === 0 ? null : { token, bps, amountRaw };
}

/** Never zero: one unit of a token without decimals may be worth a lot. */
export function computeMinimum(amountOut: bigint, slippageBps: number): bigint {
  return (amountOut * (BPS - BigInt(slippageBps))) / BPS || 1n;
}

export function computeMaximum(amountIn: bigint, slippageBps: number): bigint {
  return (amountIn * (BPS + BigInt(slippageBps))) / BPS;
}

export function computeAmounts(priced: {
  readonly request: TradeRequest;
  readonly ends: { readonly tokenIn: TradeAsset; readonly tokenOut: TradeAsset };
  readonly found: TaxedRoute;
  readonly slippageBps: number;
}): PricedAmounts {
  const { request, ends, found, slippageBps } = priced;
  const { route, taxes, amountOut } = found;
  if (request.fixed === 'output') {
    return {
      amountInRaw: route.amountIn,
      // The reserve is already part of an input that is spent whole.
      maxAmountInRaw: found.isInputGiven
        ? route.amountIn
        : computeMaximum(route.amountIn, slippageBps),
      amountOutRaw: amountOut,
      minAmountOutRaw: request.amountRaw,
      ...{ taxIn: null, taxOut: null },
    };
  }
  const { amountRaw: amountInRaw } = request;
  const sentTax = computeTax(amountInRaw, taxes.inBps);
  return {
    amountInRaw,
    maxAmountInRaw: amountInRaw,
    amountOutRaw: amountOut,
    // Where hops keep a part of the slippage, the rest of it is left.
    minAmountOutRaw: minOf(
      amountOut || 1n,
      computeMinimum(amountOut + (route.keptBack ?? 0n), slippageBps),
    ),
    taxIn: buildTokenTax(ends.tokenIn.token, taxes.inBps, sentTax),
    taxOut: buildTokenTax(ends.tokenOut.token, taxes.outBps, route.amountOut - amountOut),
  };
}
