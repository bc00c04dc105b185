// The token lists that come with the service (docs/decisions/0073, 0097).

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type FindListChain, parseTokenList, type TokenList } from './parse-token-list.ts';
import type { TokenListSource } from './token-list-source.ts';

const PACKAGE = '@eth-optimism/tokenlist';

interface RawList {
  readonly tokens: readonly { readonly chainId: number; readonly address: string }[];
}

interface ListPackage {
  readonly default: RawList;
}

/** `well-known-tokens.json`: a token list with its tokens by chain id, each in one line. */
interface OwnList {
  readonly chains: Readonly<Record<string, readonly OwnToken[]>>;
}

type OwnToken = readonly [address: string, symbol: string, name: string, decimals: number];

function readOwnList(): RawList {
  const path = new URL('well-known-tokens.json', import.meta.url);
  const { chains, ...list } = JSON.parse(readFileSync(path, 'utf8')) as OwnList;
  const tokens = Object.entries(chains).flatMap(([chainId, ofChain]) =>
    ofChain.map(([address, symbol, name, decimals]) => ({
      ...{ chainId: Number(chainId), address, symbol, name, decimals },
    })),
  );
  return { ...list, tokens };
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
 * Without tokens that share their symbol with another one on their chain, in this list or in ours:
 * nobody could tell by the list which of them is meant, and both would be verified.
 */
function dropAmbiguous(list: TokenList, own: TokenList): TokenList {
  const tokensOf = new Map<string, Set<string>>();
  const toKey = ({ chain, symbol }: TokenList['tokens'][number]) =>
    `${chain} ${symbol?.toLowerCase()}`;
  for (const one of [...list.tokens, ...own.tokens]) {
    tokensOf.set(toKey(one), (tokensOf.get(toKey(one)) ?? new Set()).add(one.token));
  }
  return { ...list, tokens: list.tokens.filter((one) => tokensOf.get(toKey(one))?.size === 1) };
}

/** Ours first. Throws if the package is missing or a list is not valid. */
export function readBundledLists(findChain: FindListChain): readonly TokenListSource[] {
  const own = parseTokenList(JSON.stringify(readOwnList()), findChain);
  // Not imported: the types of the package are the whole list once more.
  const found = createRequire(import.meta.url)(PACKAGE) as ListPackage;
  const list = parseTokenList(JSON.stringify(dropRepeated(found.default)), findChain);
  return [
    { label: own.name, list: own },
    { label: PACKAGE, list: dropAmbiguous(list, own) },
  ];
}
