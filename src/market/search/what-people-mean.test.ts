// What people type, and the token that they mean (test/search-queries.json), over some 19,000 real
// tokens and impostors of all built-in chains.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { buildModelListing, buildSearchMarket } from '../../../test/search-market.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { ChainSearch } from './chain-search.ts';
import { type FoundToken, searchChains } from './search-chains.ts';
import { parseSearchQuery } from './search-query.ts';
import { buildSegment } from './segment.ts';

interface Queries {
  /** By subject: the text, and the token that must come first, with its chain if that matters. */
  readonly anyChain: Readonly<Record<string, readonly (readonly [text: string, first: string])[]>>;
  readonly oneChain: readonly (readonly [text: string, chain: ChainSlug, symbol: string])[];
}

const PAGE = new URL('../../../test/search-queries.json', import.meta.url);
const { anyChain, oneChain } = JSON.parse(readFileSync(PAGE, 'utf8')) as Queries;
const ALL_QUERIES = Object.values(anyChain).flat();

const MARKET = buildSearchMarket();
const VERIFIED = MARKET.filter(({ isVerified }) => isVerified);
const BY_TOKEN = new Map(MARKET.map((token) => [`${token.chain} ${token.token}`, token]));

type Search = (text: string, limit: number, chain?: ChainSlug) => readonly FoundToken[];

function openSearch(isListed: boolean): Search {
  const tokensOf = Map.groupBy(MARKET, ({ chain }) => chain);
  const indexes = Array.from(tokensOf, ([chain, tokens]) => {
    const index = new ChainSearch();
    index.begin();
    index.setSegment(buildSegment(tokens.map((token) => buildModelListing(token, isListed))));
    return [chain, index] as const;
  });
  return (text, limit, chain) => {
    const query = parseSearchQuery(text);
    assert.ok(query !== null);
    const searched = indexes.filter(([slug]) => chain === undefined || slug === chain);
    return searchChains(searched, query, { limit, isHidden: () => false });
  };
}

const withLists = openSearch(true);
const withoutLists = openSearch(false);

function findToken({ chain, token }: FoundToken) {
  return BY_TOKEN.get(`${chain} ${token}`)!;
}

function describeFound(found: FoundToken): string {
  const { chain, symbol, name, isVerified } = findToken(found);
  return `${chain} ${symbol} (${name})${isVerified ? ' verified' : ''} ${found.kind} ${found.score}`;
}

/** `first` is the symbol of a verified token, with its chain in front if that matters. */
function assertFirst(found: readonly FoundToken[], text: string, first: string): void {
  const shown = `${text}: ${found.slice(0, 4).map(describeFound).join(', ')}`;
  assert.ok(found[0] !== undefined, shown);
  const { chain, symbol, isVerified } = findToken(found[0]);
  assert.ok(isVerified && (first === symbol || first === `${chain} ${symbol}`), shown);
}

test('there are a hundred queries and more than ten thousand real tokens', () => {
  assert.ok(MARKET.length > 17_000, String(MARKET.length));
  assert.ok(ALL_QUERIES.length >= 100);
});

for (const [subject, queries] of Object.entries(anyChain)) {
  describe(`the token that people mean comes first: ${subject}`, () => {
    for (const [text, first] of queries) {
      test(`${text} → ${first}`, () => assertFirst(withLists(text, 20), text, first));
    }
  });
}

describe('on one chain', () => {
  for (const [text, chain, symbol] of oneChain) {
    const first = `${chain} ${symbol}`;
    test(`${text} → ${first}`, () => assertFirst(withLists(text, 20, chain), text, first));
  }
});

/** Without token lists only liquidity, volume and age tell the real one. */
const MEANT_WITHOUT_LISTS = [
  ...['tether', 'usdt', 'usdc', 'usd coin', 'btc', 'bitcoin', 'wrapped bitcoin', 'wbtc', 'ether'],
  ...[
    'eth',
    'ethereum',
    'weth',
    'wrapped ether',
    'dai',
    'pepe',
    'shiba inu',
    'floki',
    'sol',
    'wif',
  ],
  ...['uniswap', 'chainlink', 'inu shiba', 'usd tether', 'tehter', '0xdac17f95', '比特币'],
];

describe('also where no token list says who is who', () => {
  for (const text of MEANT_WITHOUT_LISTS) {
    const [, first] = ALL_QUERIES.find(([meant]) => meant === text)!;
    test(`${text} → ${first}`, () => assertFirst(withoutLists(text, 20), text, first));
  }
});

/** What people mean by the symbol: some are names of a coin, and they mean the coin. */
function pickMeant(chain: ChainSlug, symbol: string): string {
  const text = symbol.toLowerCase();
  const [, , onChain] = oneChain.find(([typed, on]) => on === chain && typed === text) ?? [];
  const [, first] = ALL_QUERIES.find(([typed]) => typed === text) ?? [];
  const isHere = first?.startsWith(`${chain} `) || first?.includes(' ') === false;
  return onChain ?? (isHere ? first?.split(' ').at(-1) : undefined) ?? symbol;
}

test('each verified token comes first for its symbol of two letters or more', () => {
  for (const { chain, symbol } of VERIFIED.filter((token) => token.symbol.length > 1)) {
    assertFirst(withLists(symbol, 3, chain), symbol, `${chain} ${pickMeant(chain, symbol)}`);
  }
});

test('and among the first three for its name', () => {
  for (const { chain, token, name } of VERIFIED) {
    const found = withLists(name, 3, chain);
    const shown = `${chain} ${name}: ${found.map(describeFound).join(', ')}`;
    assert.ok(
      found.some((one) => one.token === token),
      shown,
    );
  }
});
