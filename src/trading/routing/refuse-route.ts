// The error that says why no route was found.

import { AppError } from '../../errors/app-error.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { NoRouteReason } from './explain-no-route.ts';

const OUTPUT_REASONS = {
  taxedOutput: 'a token deducts a part of its transfers',
  hookedOutput: 'hooks of the pools may change what they pay',
  openOutput: 'the exchanges can only be told what is spent',
} as const;

export function refuseRoute(
  reason: NoRouteReason,
  trade: {
    readonly chain: ChainSlug;
    readonly addresses: AddressCodec;
    readonly tokenIn: Address;
    readonly tokenOut: Address;
  },
): AppError {
  const from = trade.addresses.toShown(trade.tokenIn);
  const to = trade.addresses.toShown(trade.tokenOut);
  switch (reason) {
    case 'tooMuch':
      return new AppError('INSUFFICIENT_LIQUIDITY', { from, to });
    case 'tooLittle':
      return new AppError('AMOUNT_TOO_SMALL', { to });
    case 'noMarket':
      return new AppError('NO_MARKET', { chain: trade.chain, from, to });
    case 'tooLong':
      return new AppError('ROUTE_TOO_LONG', { from, to });
    case 'taxedRouter':
      return new AppError('TAX_NOT_SUPPORTED', { chain: trade.chain, from, to });
    case 'severalRouters':
      return new AppError('NO_SINGLE_ROUTER', { chain: trade.chain, from, to });
    default:
      return new AppError('EXACT_OUTPUT_NOT_SUPPORTED', {
        ...{ from, to, reason: OUTPUT_REASONS[reason] },
      });
  }
}
