// Search over several chains.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { ChainSearch } from './chain-search.ts';
import { compareFound, type Found } from './listing.ts';
import type { SearchQuery } from './search-query.ts';

export type FoundToken = Found & { readonly chain: ChainSlug };

/** Subtracted from matches by typing errors where they come after all others. */
const BEHIND_POINTS = 100;

function compareTokens(a: FoundToken, b: FoundToken): number {
  return compareFound(a, b) || (a.chain < b.chain ? -1 : a.chain > b.chain ? 1 : 0);
}

/**
 * The best tokens, in order. If no established token of any of the chains matches, the query may be
 * misspelt: then matches by typing errors compete with the others. Otherwise they come last.
 */
export function searchChains(
  indexes: Iterable<readonly [ChainSlug, ChainSearch]>,
  query: SearchQuery,
  bounds: {
    readonly limit: number;
    readonly isHidden: (chain: ChainSlug, token: Address) => boolean;
  },
): readonly FoundToken[] {
  const { limit } = bounds;
  const searched = Array.from(indexes, ([chain, index]) => {
    const isHidden = (token: Address) => bounds.isHidden(chain, token);
    return { chain, ...index.search(query, { limit, isHidden }) };
  });
  const exact = searched.flatMap(({ chain, found }) => found.map((one) => ({ ...one, chain })));
  const hasEstablished = searched.some((one) => one.hasEstablished);
  if (query.edits === 0 || (hasEstablished && exact.length >= limit)) {
    return exact.sort(compareTokens).slice(0, limit);
  }
  const behind = hasEstablished ? BEHIND_POINTS : 0;
  const typos = searched.flatMap(({ chain, findTypos }) =>
    findTypos().map((one) => ({ ...one, chain, score: one.score - behind })),
  );
  return [...exact, ...typos].sort(compareTokens).slice(0, limit);
}
