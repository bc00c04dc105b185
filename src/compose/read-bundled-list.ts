// The token list that comes with the service (docs/decisions/0073).

import { createRequire } from 'node:module';
import {
  type FindListChain,
  parseTokenList,
  type TokenList,
} from '../market/lists/parse-token-list.ts';
import type { TokenListSource } from '../market/lists/token-list-source.ts';

const PACKAGE = '@eth-optimism/tokenlist';

interface RawList {
  readonly tokens: readonly { readonly chainId: number; readonly address: string }[];
}

interface ListPackage {
  readonly default: RawList;
}

/** The package names some tokens twice (USDC of Ethereum), which a list must not. */
function dropRepeated(list: RawList): RawList {
  const byAddress = new Map<string, RawList['tokens'][number]>();
  for (const token of list.tokens) {
    const key = `${token.chainId} ${token.address.toLowerCase()}`;
    if (!byAddress.has(key)) byAddress.set(key, token);
  }
  return { ...list, tokens: [...byAddress.values()] };
}

/**
 * Without tokens that share their symbol with another one on their chain: nobody could tell by the
 * list which of them is meant, and both would be verified.
 */
function dropAmbiguous(list: TokenList): TokenList {
  const counts = new Map<string, number>();
  const toKey = ({ chain, symbol }: TokenList['tokens'][number]) =>
    `${chain} ${symbol?.toLowerCase()}`;
  for (const token of list.tokens) counts.set(toKey(token), (counts.get(toKey(token)) ?? 0) + 1);
  return { ...list, tokens: list.tokens.filter((token) => counts.get(toKey(token)) === 1) };
}

/** Throws if the package is missing or its list is not valid. */
export function readBundledList(findChain: FindListChain): TokenListSource {
  // Not imported: the types of the package are the whole list once more.
  const found = createRequire(import.meta.url)(PACKAGE) as ListPackage;
  const text = JSON.stringify(dropRepeated(found.default));
  return { label: PACKAGE, list: dropAmbiguous(parseTokenList(text, findChain)) };
}
