// What trading has measured of pools, for the market's reads.

import type { ChainSafety } from '../market/market-parts.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Trading } from './open-trading.ts';

/** Null while the chain is being prepared. */
export function findChainSafety(
  trading: Pick<Trading, 'chains'> | null,
  slug: ChainSlug,
): ChainSafety | null {
  const chain = trading?.chains.find(slug) ?? null;
  if (chain === null) return null;
  const { book, costs } = chain;
  return {
    unitName: costs.unitName,
    find: (pool) => book.get(pool) ?? null,
    isDoubted: (pool) => book.findDoubt(pool) === 'seen',
    sum: (pools, token) => book.ofToken(pools, (one) => one === token),
    note: (token) => chain.noteAsked(token),
  };
}
