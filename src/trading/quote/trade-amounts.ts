// What a priced trade spends and pays, with its bounds.

import type { IntegratorFee } from '../../chains/chain-transactions.ts';
import { minOf } from '../../lib/bigint-bounds.ts';
import type { Address } from '../../model/ids.ts';
import { computeTax, type TaxedRoute } from '../routing/find-trade-route.ts';
import type { PricedTrade, TokenTax, TradeAsset, TradeRequest } from './priced-trade.ts';

const BPS = 10_000n;

type PricedAmounts = Pick<
  PricedTrade,
  | 'amountInRaw'
  | 'maxAmountInRaw'
  | 'amountOutRaw'
  | 'minAmountOutRaw'
  | 'taxIn'
  | 'taxOut'
  | 'integratorFee'
>;

/** As routers round it. */
function computeFee(gross: bigint, { bps }: Pick<IntegratorFee, 'bps'>): bigint {
  return (gross * BigInt(bps)) / BPS;
}

/** The least that pools must pay so that this is left after the fee. */
export function addFee(net: bigint, fee: Pick<IntegratorFee, 'bps'> | undefined): bigint {
  if (fee === undefined) return net;
  let gross = (net * BPS) / (BPS - BigInt(fee.bps));
  while (gross - computeFee(gross, fee) < net) gross += 1n;
  while (gross - 1n - computeFee(gross - 1n, fee) >= net) gross -= 1n;
  return gross;
}

function buildFee(fee: IntegratorFee | undefined, gross: bigint): PricedTrade['integratorFee'] {
  return fee === undefined ? null : { ...fee, amountRaw: computeFee(gross, fee) };
}

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
  const { route, taxes, amountOut: gross } = found;
  const integratorFee = buildFee(request.fee, gross);
  const amountOut = gross - (integratorFee?.amountRaw ?? 0n);
  if (request.fixed === 'output') {
    return {
      amountInRaw: route.amountIn,
      // The reserve is already part of an input that is spent whole.
      maxAmountInRaw: found.isInputGiven
        ? route.amountIn
        : computeMaximum(route.amountIn, slippageBps),
      amountOutRaw: amountOut,
      minAmountOutRaw: request.amountRaw,
      ...{ taxIn: null, taxOut: null, integratorFee },
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
    taxOut: buildTokenTax(ends.tokenOut.token, taxes.outBps, route.amountOut - gross),
    integratorFee,
  };
}
