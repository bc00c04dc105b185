// The error that says why no route was found.

import { AppError } from '../../errors/app-error.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { NoRouteReason } from './explain-no-route.ts';

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
  }
}
