// A token without a route may still trade: on a venue that is indexed, but that the chain's router
// does not support, or in pools that cannot be quoted. Then that is the answer, not that there is
// no market.

import { AppError } from '../../errors/app-error.ts';
import type { PriceTrade } from './priced-trade.ts';
import type { TradeChains } from './trade-chain.ts';

export function createExplainedPrice(
  price: PriceTrade,
  chains: Pick<TradeChains, 'find'>,
): PriceTrade {
  return async (request, caller, outPerUnit) => {
    try {
      return await price(request, caller, outPerUnit);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'NO_MARKET') throw error;
      const chain = chains.find(request.chain);
      const { mint, quoteMint } = request;
      const found = (await chain?.findUntraded({ mint, quoteMint })) ?? null;
      if (chain === null || found === null) throw error;
      const context = { mint: chain.addresses.toShown(found.token), chain: chain.slug };
      if ('flags' in found) throw new AppError('POOLS_NOT_QUOTED', { ...context, ...found });
      throw new AppError('VENUE_NOT_SUPPORTED', { ...context, venues: found.venues.join(', ') });
    }
  };
}
