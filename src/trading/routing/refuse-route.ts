// The error that tells a caller why no route was found.

import { AppError } from '../../errors/app-error.ts';
import { toShownAddress } from '../../lib/checksum-address.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/market-event.ts';
import type { NoRouteReason } from './tell-no-route.ts';

export function refuseRoute(
  reason: NoRouteReason,
  trade: { readonly chain: ChainSlug; readonly tokenIn: Address; readonly tokenOut: Address },
): AppError {
  const from = toShownAddress(trade.tokenIn);
  const to = toShownAddress(trade.tokenOut);
  switch (reason) {
    case 'tooMuch':
      return new AppError('INSUFFICIENT_LIQUIDITY', { from, to });
    case 'tooLittle':
      return new AppError('AMOUNT_TOO_SMALL', { to });
    case 'noMarket':
      return new AppError('NO_MARKET', { chain: trade.chain, from, to });
  }
}
