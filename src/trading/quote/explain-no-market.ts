// A token without a route may still trade: on a venue that is indexed, but that the chain's router
// does not support, in pools that cannot be quoted or are still being read, or in pools that lead
// elsewhere. Then that is the answer, not that there is no market.

import { buildPoolsPendingError } from '../../contract/look-up-token.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import type { UnquotableToken } from './explain-unquotable.ts';
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

function explainUntraded(
  { slug, addresses }: TradeChain,
  { mint: traded, quoteMint, side }: TradeRequest,
  found: UnquotableToken,
): AppError {
  const mint = addresses.toShown(found.token);
  const context = { mint, chain: slug };
  switch (found.kind) {
    case 'pending':
      return buildPoolsPendingError(slug, mint);
    case 'flags':
      return new AppError('POOLS_NOT_QUOTED', { ...context, flags: found.flags });
    case 'venues':
      return new AppError('VENUE_NOT_SUPPORTED', { ...context, venues: found.venues.join(', ') });
    case 'noRoute': {
      const [token, quote] = [addresses.toShown(traded), addresses.toShown(quoteMint)];
      const [from, to] = side === 'buy' ? [quote, token] : [token, quote];
      const venues = found.venues.join(', ');
      return new AppError('NO_ROUTE', { ...context, venues, from, to });
    }
  }
}

/** Of the commit whose pools are searched. */
function readVersion(chain: TradeChain | null): number | null {
  return chain?.readGraph()?.checkpoint.version ?? null;
}

export function createExplainedPrice(
  price: PriceTrade,
  chains: Pick<TradeChains, 'find'>,
): PriceTrade {
  return async (request, caller, options) => {
    const chain = chains.find(request.chain);
    const version = readVersion(chain);
    try {
      return await price(request, caller, options);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { mint, quoteMint } = request;
      if (error.code === 'TOKEN_NOT_FOUND') throw (await explainUnknown(chain, request)) ?? error;
      if (error.code !== 'NO_MARKET') throw error;
      const found = (await chain?.explainUnquotable({ mint, quoteMint })) ?? null;
      if (chain === null || found === null) throw error;
      const reason = explainUntraded(chain, request, found);
      if (found.kind !== 'noRoute') throw reason;
      // The pools were read from the store: one of them may be newer than those that were searched.
      if (!(await chain.settle()))
        throw buildPoolsPendingError(chain.slug, chain.addresses.toShown(mint));
      if (readVersion(chain) === version) throw reason;
      return price(request, caller, options).catch((second: unknown) => {
        throw second instanceof AppError && second.code === 'NO_MARKET' ? reason : second;
      });
    }
  };
}
