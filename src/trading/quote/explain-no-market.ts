// A token without a route may still trade: on a venue that is indexed, but that the chain's router
// does not support, or in pools that cannot be quoted. Then that is the answer, not that there is
// no market.

import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import type { PriceTrade, TradeRequest } from './priced-trade.ts';
import type { TradeChain, TradeChains } from './trade-chain.ts';

/** An address of something else is an error of the input; null if nothing is known of it. */
async function explainUnknown(
  chain: TradeChain | null,
  { mint, quoteMint }: TradeRequest,
): Promise<AppError | null> {
  const fields = [
    { path: 'mint', token: mint },
    { path: 'quoteMint', token: quoteMint },
  ];
  const asked = fields.filter(({ token }) => token !== chain?.addresses.native);
  const others = await chain?.findNonTokens?.(asked.map(({ token }) => token));
  const wrong = asked.filter(({ token }) => others?.has(token));
  if (wrong.length === 0) return null;
  const message = 'is an account of the chain, but no token';
  return buildInvalidInputError(wrong.map(({ path }) => ({ path, message })));
}

export function createExplainedPrice(
  price: PriceTrade,
  chains: Pick<TradeChains, 'find'>,
): PriceTrade {
  return async (request, caller, outPerUnit) => {
    try {
      return await price(request, caller, outPerUnit);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const chain = chains.find(request.chain);
      const { mint, quoteMint } = request;
      if (error.code === 'TOKEN_NOT_FOUND') throw (await explainUnknown(chain, request)) ?? error;
      if (error.code !== 'NO_MARKET') throw error;
      const found = (await chain?.findUntraded({ mint, quoteMint })) ?? null;
      if (chain === null || found === null) throw error;
      const context = { mint: chain.addresses.toShown(found.token), chain: chain.slug };
      if ('flags' in found) throw new AppError('POOLS_NOT_QUOTED', { ...context, ...found });
      throw new AppError('VENUE_NOT_SUPPORTED', { ...context, venues: found.venues.join(', ') });
    }
  };
}
