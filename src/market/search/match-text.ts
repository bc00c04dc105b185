// How well a token's texts match a query, in points: the part of a match's score that depends on
// the query. docs/api/search.md explains the points.

import type { MATCH_KINDS } from '../../contract/schemas/market-schemas.ts';
import { computeEditDistance } from './edit-distance.ts';
import { type AddressPart, type SearchQuery, WRAPPED } from './search-query.ts';

export type MatchKind = (typeof MATCH_KINDS)[number];

/** A way to match. */
export interface Match {
  readonly kind: MatchKind;
  readonly points: number;
}

const defineMatch = (kind: MatchKind, points: number): Match => ({ kind, points });

/** The best first; no two have the same points. */
export const MATCHES = {
  address: defineMatch('address', 20),
  verifiedSymbol: defineMatch('symbol', 10.5),
  verifiedName: defineMatch('name', 9.5),
  wrapped: defineMatch('wrapped', 9.25),
  alias: defineMatch('alias', 9),
  symbol: defineMatch('symbol', 8.5),
  name: defineMatch('name', 7.5),
  words: defineMatch('words', 5),
  wrappedToken: defineMatch('wrapped', 4.75),
  aliasWords: defineMatch('alias', 4.5),
  symbolPrefix: defineMatch('symbolPrefix', 4),
  namePrefix: defineMatch('namePrefix', 3.5),
  wordPrefix: defineMatch('wordPrefix', 3),
  symbolPart: defineMatch('symbolPart', 2.5),
  within: defineMatch('within', 1.75),
  namePart: defineMatch('namePart', 1.5),
  oneEdit: defineMatch('oneEdit', 1),
  twoEdits: defineMatch('twoEdits', 0),
} as const;

/**
 * Whether a match shows that the query is spelt as meant: a token that is named by some of the
 * words says nothing of the others.
 */
export function isWhole({ kind }: Match): boolean {
  return kind !== 'within';
}

/** The folded texts of a token. */
export interface TokenTexts {
  readonly token: string;
  readonly symbol: string;
  readonly name: string;
  readonly isVerified: boolean;
  /** The name without spaces and punctuation. */
  readonly joined: string;
  /** From `listTokenWords`. */
  readonly words: ReadonlySet<string>;
}

function isEqual(joined: string, texts: TokenTexts): boolean {
  return texts.symbol === joined || texts.joined === joined;
}

/** `WBTC` or `Wrapped BTC` for `btc`. */
function isEqualWrapped(text: string, { symbol, joined }: TokenTexts): boolean {
  const { length } = text;
  return (
    (symbol.length === length + WRAPPED.symbol.length && symbol === WRAPPED.symbol + text) ||
    (joined.length === length + WRAPPED.name.length && joined === WRAPPED.name + text)
  );
}

function hasAll(words: readonly string[], { words: own }: TokenTexts): boolean {
  for (const word of words) if (!own.has(word)) return false;
  return true;
}

function isAlias(query: SearchQuery, texts: TokenTexts): boolean {
  return query.aliases.some(
    ({ joined }) => isEqual(joined, texts) || (query.isCoin && isEqualWrapped(joined, texts)),
  );
}

/** Whether each word of the query begins a word of the token. */
export function beginsWords(
  { spaced, isWord, text }: SearchQuery,
  { symbol, name }: Pick<TokenTexts, 'symbol' | 'name'>,
): boolean {
  if (isWord) return name.includes(` ${text}`);
  return spaced.every(
    (word) => symbol.startsWith(word) || name.startsWith(word) || name.includes(` ${word}`),
  );
}

export function isAtAddress({ start, end }: AddressPart, token: string): boolean {
  return token.startsWith(start) && token.endsWith(end) && token.length > start.length + end.length;
}

/** The best way in which a token matches without typing errors; null if it does not. */
export function matchText(query: SearchQuery, texts: TokenTexts): Match | null {
  const { text, joined, aliases } = query;
  const { symbol, name, isVerified } = texts;
  if (query.address !== null && isAtAddress(query.address, texts.token)) return MATCHES.address;
  if (isVerified && symbol === text) return MATCHES.verifiedSymbol;
  if (isVerified && texts.joined === joined) return MATCHES.verifiedName;
  if (query.isCoin && isEqualWrapped(joined, texts)) return MATCHES.wrapped;
  if (isAlias(query, texts)) return MATCHES.alias;
  if (symbol === text) return MATCHES.symbol;
  if (texts.joined === joined) return MATCHES.name;
  if (hasAll(query.words, texts)) return MATCHES.words;
  if (isEqualWrapped(joined, texts)) return MATCHES.wrappedToken;
  if (aliases.some(({ words }) => hasAll(words, texts))) return MATCHES.aliasWords;
  if (symbol.startsWith(text)) return MATCHES.symbolPrefix;
  if (name.startsWith(text)) return MATCHES.namePrefix;
  if (beginsWords(query, texts)) return MATCHES.wordPrefix;
  if (symbol.includes(text)) return MATCHES.symbolPart;
  if (query.runs.has(symbol) || query.runs.has(texts.joined)) return MATCHES.within;
  return name.includes(text) ? MATCHES.namePart : null;
}

/** The match by typing errors between a query and a whole text; null if there are too many. */
export function matchTypos(query: SearchQuery, points: ArrayLike<number>): Match | null {
  const edits = computeEditDistance(query.points, points, query.edits);
  if (query.edits === 0 || edits > query.edits) return null;
  return edits === 2 ? MATCHES.twoEdits : MATCHES.oneEdit;
}
