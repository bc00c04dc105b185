// Search as a plain scan over every token, which the index is compared with.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { foldText } from '../src/lib/clean-text.ts';
import { ChainSearch } from '../src/market/search/chain-search.ts';
import { compareFound, type Found, type Listing } from '../src/market/search/listing.ts';
import { isWhole, MATCHES, type Match, matchText } from '../src/market/search/match-text.ts';
import { computeProminence, ESTABLISHED_POINTS } from '../src/market/search/prominence.ts';
import { searchChains } from '../src/market/search/search-chains.ts';
import { parseSearchQuery, type SearchQuery, toPoints } from '../src/market/search/search-query.ts';
import { buildSegment } from '../src/market/search/segment.ts';
import { joinWords, listTokenWords } from '../src/market/search/words.ts';
import type { Address } from '../src/model/ids.ts';
import { address } from './test-ids.ts';

const NOBODY = () => false;

/** The textbook algorithm, with full tables. */
function computeDistance(a: readonly number[], b: readonly number[]): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const changed = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      table[i]![j] = Math.min(changed, table[i - 1]![j]! + 1, table[i]![j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        table[i]![j] = Math.min(table[i]![j]!, table[i - 2]![j - 2]! + 1);
      }
    }
  }
  return table[a.length]![b.length]!;
}

/** A listing with its texts in the form that they are compared in. */
function fold(listing: Listing) {
  const symbol = foldText(listing.symbol ?? '');
  const name = foldText(listing.name ?? '');
  const words = listTokenWords(symbol, name);
  return { ...listing, symbol, name, joined: joinWords(name), words };
}

function matchTyposPlainly(query: SearchQuery, { name, words }: ReturnType<typeof fold>) {
  const texts = query.isWord ? [...words] : [name];
  const near = texts.map(toPoints).filter((points) => {
    return Math.abs(points.length - query.points.length) <= query.edits;
  });
  const edits = Math.min(...near.map((points) => computeDistance(query.points, points)));
  if (query.edits === 0 || edits > query.edits) return null;
  return edits === 2 ? MATCHES.twoEdits : MATCHES.oneEdit;
}

const BEHIND_POINTS = 100;

export function parse(text: string): SearchQuery {
  const query = parseSearchQuery(text);
  assert.ok(query !== null, text);
  return query;
}

export function searchPlainly(listings: readonly Listing[], text: string, limit: number): Found[] {
  const query = parse(text);
  const matched = listings.map((listing) => {
    const texts = fold(listing);
    const exact = matchText(query, texts);
    return { listing, exact, typos: exact === null ? matchTyposPlainly(query, texts) : null };
  });
  const hasEstablished = matched.some(
    ({ listing, exact }) =>
      exact !== null && isWhole(exact) && listing.prominence >= ESTABLISHED_POINTS,
  );
  const toFound = ({ token, prominence }: Listing, match: Match, behind: number): Found => ({
    ...{ token, prominence, kind: match.kind },
    score: match.points + prominence - behind,
  });
  return matched
    .flatMap(({ listing, exact, typos }) => {
      if (exact !== null) return [toFound(listing, exact, 0)];
      return typos === null ? [] : [toFound(listing, typos, hasEstablished ? BEHIND_POINTS : 0)];
    })
    .sort(compareFound)
    .slice(0, limit);
}

export function search(index: ChainSearch, text: string, limit: number): readonly Found[] {
  const found = searchChains([['devnet', index]], parse(text), { limit, isHidden: NOBODY });
  return found.map(({ chain: _, ...one }) => one);
}

export function buildSearchToken(number: number): Address {
  return address(`0x${number.toString(16).padStart(40, '0')}`);
}

export function readTokenList(): Listing[] {
  const path = createRequire(import.meta.url).resolve('@uniswap/default-token-list');
  const { tokens } = JSON.parse(readFileSync(path, 'utf8')) as {
    tokens: { symbol: string; name: string }[];
  };
  return tokens.map(({ symbol, name }, index) => ({
    token: buildSearchToken(index + 1),
    symbol,
    name,
    isVerified: index % 11 === 0,
    prominence: computeProminence({
      isVerified: index % 11 === 0,
      liquidityUsd: index % 7 === 0 ? null : ((index * 7919) % 1000) ** 2,
      volumeUsd: ((index * 104_729) % 1000) ** 2,
      ageMs: (index % 400) * 86_400_000,
    }),
  }));
}

export function inSegment(listings: readonly Listing[]): ChainSearch {
  const index = new ChainSearch();
  index.begin();
  index.setSegment(buildSegment(listings));
  return index;
}

export function oneByOne(listings: readonly Listing[]): ChainSearch {
  const index = new ChainSearch();
  for (const listing of listings) index.put(listing);
  return index;
}
