// Merges all token lists: what they say about each token.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { LogoPlace, TokenLinks, TokenList } from './parse-token-list.ts';

export interface TokenListing {
  /** Names of the lists that vouch for the token, in the order of `TOKEN_LISTS`; never empty. */
  readonly lists: readonly string[];
  /** Used only if the contract has none: a list must not rename a token. */
  readonly symbol: string | null;
  readonly name: string | null;
  readonly links: TokenLinks | null;
  readonly logo: LogoPlace | null;
}

/** The listed tokens of one chain. Plain data: it crosses to other threads. */
export type ChainEntries = ReadonlyMap<Address, TokenListing>;

export type TokenDirectory = ReadonlyMap<ChainSlug, ChainEntries>;

/** On conflict the first list that has a value wins. */
export function buildTokenDirectory(lists: readonly TokenList[]): TokenDirectory {
  const directory = new Map<ChainSlug, Map<Address, TokenListing>>();
  for (const list of lists) {
    for (const { chain, token, symbol, name, links, logo } of list.tokens) {
      const entries = directory.get(chain) ?? new Map<Address, TokenListing>();
      directory.set(chain, entries);
      const known = entries.get(token);
      entries.set(token, {
        lists: [...new Set([...(known?.lists ?? []), list.name])],
        symbol: known?.symbol ?? symbol,
        name: known?.name ?? name,
        links: known?.links ?? links,
        logo: known?.logo ?? logo,
      });
    }
  }
  return directory;
}
