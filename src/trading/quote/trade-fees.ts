// The fees of a trade, summed up by kind and token.

import type { TransferParts } from '../../amm/swap-pool.ts';
import type { Address } from '../../model/ids.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteHop } from '../routing/route-swaps.ts';
import type { TokenTax, TradeFee } from './priced-trade.ts';

const PIPS = 1_000_000;

/**
 * The protocol's own part of a V4 swap, from `fee = p + l − ⌊p·l/1e6⌋`. V3's comes out of the
 * liquidity providers' fee and is not visible.
 */
function computeProtocolPips({ pool, zeroForOne }: RouteHop): number {
  const whole = pool.curve.feePips(zeroForOne);
  // Of a hooked pool only the total fee is known.
  if (pool.inexact === 'hook') return 0;
  if (whole <= pool.feePips || pool.feePips >= PIPS) return 0;
  return Math.round(((whole - pool.feePips) * PIPS) / (PIPS - pool.feePips));
}

const NO_TRANSFERS: TransferParts = { inRaw: 0n, outRaw: 0n };

interface Sum {
  readonly kind: 'lp' | 'protocol' | 'transfer';
  readonly token: Address;
  amountRaw: bigint;
  ofRaw: bigint;
}

/** A part of a whole, in basis points with two decimals. */
function computeBps(amountRaw: bigint, ofRaw: bigint): number {
  return ofRaw === 0n ? 0 : Number((amountRaw * 2_000_000n + ofRaw) / (2n * ofRaw)) / 100;
}

function toTaxFee(tax: TokenTax): TradeFee {
  return { kind: 'tokenTax', bps: tax.bps, amountRaw: tax.amountRaw, token: tax.token };
}

export function listFees(
  route: BestRoute,
  taxes: { readonly in: TokenTax | null; readonly out: TokenTax | null },
): readonly TradeFee[] {
  const sums = new Map<string, Sum>();
  const add = (kind: Sum['kind'], token: Address, amounts: { raw: bigint; of: bigint }) => {
    const key = `${kind} ${token}`;
    const sum = sums.get(key) ?? { kind, token, amountRaw: 0n, ofRaw: 0n };
    sum.amountRaw += amounts.raw;
    sum.ofRaw += amounts.of;
    sums.set(key, sum);
  };
  for (const { hops } of route.swapPaths) {
    for (const hop of hops) {
      const pips = computeProtocolPips(hop);
      const protocol = (hop.amountIn * BigInt(pips)) / BigInt(PIPS);
      const token = hop.tokenIn;
      add('lp', token, { raw: hop.feeAmount - protocol, of: hop.amountIn });
      if (pips > 0) add('protocol', token, { raw: protocol, of: hop.amountIn });
      const { inRaw, outRaw } =
        hop.pool.curve.splitTransfers?.(hop.zeroForOne, hop) ?? NO_TRANSFERS;
      if (inRaw > 0n) add('transfer', token, { raw: inRaw, of: hop.amountIn });
      if (outRaw > 0n) add('transfer', hop.tokenOut, { raw: outRaw, of: hop.amountOut + outRaw });
    }
  }
  const fees: TradeFee[] = [...sums.values()].map(({ kind, token, amountRaw, ofRaw }) => ({
    kind,
    token,
    amountRaw,
    bps: computeBps(amountRaw, ofRaw),
  }));
  if (taxes.in !== null) fees.push(toTaxFee(taxes.in));
  if (taxes.out !== null) fees.push(toTaxFee(taxes.out));
  return fees;
}
