// The token list that comes with the service (docs/decisions/0073).

import { createRequire } from 'node:module';
import { type FindListChain, parseTokenList } from '../market/lists/parse-token-list.ts';
import type { TokenListSource } from '../market/lists/token-list-source.ts';

const PACKAGE = '@eth-optimism/tokenlist';

interface ListPackage {
  readonly default?: unknown;
}

/** Throws if the package is missing or its list is not valid. */
export function readBundledList(findChain: FindListChain): TokenListSource {
  // Not imported: the types of the package are the whole list once more.
  const found = createRequire(import.meta.url)(PACKAGE) as ListPackage;
  const text = JSON.stringify(found.default ?? found);
  return { label: PACKAGE, list: parseTokenList(text, findChain) };
}
