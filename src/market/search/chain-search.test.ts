// Compares search with a plain scan over every token: real lists, generated ones, and lists that
// change.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { address } from '../../../test/test-ids.ts';
import type { Address } from '../../model/ids.ts';
import { ChainSearch } from './chain-search.ts';
import { foldText } from './fold-text.ts';
import { compareFound, type Found, type Listing, toLiquidityWeight } from './listing.ts';
import {
  parseSearchQuery,
  RANKS,
  rankExactMatch,
  type SearchQuery,
  toPoints,
} from './match-text.ts';
import { buildSegment } from './segment.ts';

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

function rankPlainly(query: SearchQuery, listing: Listing): number | null {
  const symbol = foldText(listing.symbol ?? '');
  const name = foldText(listing.name ?? '');
  const exact = rankExactMatch(query, symbol, name);
  if (exact !== null || query.edits === 0) return exact;
  const texts = query.isWord ? [symbol, ...name.split(' ')] : [name];
  const edits = Math.min(
    ...texts.map((text) => computeDistance([...query.points], toPoints(text))),
  );
  if (edits > query.edits) return null;
  return edits === 2 ? RANKS.twoEdits : RANKS.oneEdit;
}

function searchPlainly(listings: readonly Listing[], text: string, limit: number): Found[] {
  const query = parseSearchQuery(foldText(text));
  return listings
    .flatMap((listing) => {
      const rank = rankPlainly(query, listing);
      const weight = toLiquidityWeight(listing.liquidityUsdE18);
      const { token, isVerified } = listing;
      return rank === null ? [] : [{ token, rank, isVerified, weight }];
    })
    .sort(compareFound)
    .slice(0, limit);
}

function search(index: ChainSearch, text: string, limit: number): readonly Found[] {
  return index.search(parseSearchQuery(foldText(text)), limit, NOBODY);
}

function buildToken(number: number): Address {
  return address(`0x${number.toString(16).padStart(40, '0')}`);
}

function readTokenList(): Listing[] {
  const path = createRequire(import.meta.url).resolve('@uniswap/default-token-list');
  const { tokens } = JSON.parse(readFileSync(path, 'utf8')) as {
    tokens: { symbol: string; name: string }[];
  };
  return tokens.map(({ symbol, name }, index) => ({
    token: buildToken(index + 1),
    symbol,
    name,
    isVerified: index % 11 === 0,
    liquidityUsdE18: index % 7 === 0 ? null : BigInt((index * 7919) % 1000) * 150n * 10n ** 18n,
  }));
}

function inSegment(listings: readonly Listing[]): ChainSearch {
  const index = new ChainSearch();
  index.begin();
  index.setSegment(buildSegment(listings));
  return index;
}

function oneByOne(listings: readonly Listing[]): ChainSearch {
  const index = new ChainSearch();
  for (const listing of listings) index.put(listing);
  return index;
}

const QUERIES = [
  'weth',
  'WETH',
  'usd',
  'u',
  'e',
  'dai',
  'wrapped',
  'wrapped ether',
  'coin',
  'etherum',
  'uniswop',
  'chianlink',
  'wehtt',
  'usdcc',
  'wrapped ehter',
  'matic nertwork',
  '%',
  '_',
  "'",
  '"',
  '\\',
  '💎',
  'zzzzzzzz',
  '1',
  '1inch',
  ' usd  coin ',
  'a ',
  '.',
  '$',
  'protocol tokne',
  'éther',
  'ＷＥＴＨ',
];

describe('the Uniswap list', () => {
  const listings = readTokenList();
  const expected = QUERIES.map((text) => ({ text, found: searchPlainly(listings, text, 2000) }));
  for (const [name, index] of [
    ['in a segment', inSegment(listings)],
    ['one by one', oneByOne(listings)],
  ] as const) {
    test(`${name}, every query finds what a linear scan finds, in the same order`, () => {
      for (const { text, found } of expected) {
        for (const limit of [1, 20, 2000]) {
          assert.deepEqual(search(index, text, limit), found.slice(0, limit), text);
        }
      }
    });
  }

  test('WETH is found twenty times, the most liquid first', () => {
    const found = search(inSegment(listings), 'weth', 20);
    const equal = found.filter(({ rank, isVerified }) => rank === RANKS.symbol && !isVerified);
    assert.ok(equal.length > 10);
    const weights = equal.map(({ weight }) => weight);
    assert.deepEqual(
      weights,
      weights.toSorted((a, b) => b - a),
    );
  });

  test('a typing error is forgiven from four letters, two from eight', () => {
    const index = inSegment(listings);
    const ranksOf = (text: string) => new Set(search(index, text, 2000).map(({ rank }) => rank));
    assert.ok(!ranksOf('wee').has(RANKS.oneEdit));
    assert.ok(ranksOf('wethh').has(RANKS.oneEdit));
    assert.ok(!ranksOf('chnlink').has(RANKS.twoEdits));
    assert.ok(ranksOf('chainxxnk').has(RANKS.twoEdits));
  });
});

describe('texts of any kind', () => {
  const texts = [
    ['МИР', 'Мирная Монета'],
    ['漢字幣', '中文測試代幣'],
    ['ありがとう', 'ありがとうコイン'],
    ['한국코인', '대한민국 토큰'],
    ['دينار', 'عملة الذهب'],
    ['₿ΩΩΩ', 'Δραχμή Νέα'],
    ['💎🙌💎🙌', 'Diamond 💎 Hands'],
    ['👩‍🚀MOON', 'Astronaut 👩‍🚀 Money'],
    ['100%', 'Hundred % Pure_Gold'],
    ["O'BRIEN", `The "Quoted" \\ Coin`],
    ['SELECT', "'; DROP TABLE tokens; --"],
    ['Ünïcödé', 'Straße Ａｂｃ'],
  ] as const;
  const listings = texts.map(([symbol, name], index) => ({
    token: buildToken(index + 1),
    symbol,
    name,
    isVerified: false,
    liquidityUsdE18: null,
  }));
  for (const [kind, index] of [
    ['in a segment', inSegment(listings)],
    ['one by one', oneByOne(listings)],
  ] as const) {
    test(`${kind}, each is found whole, by its beginning, a part, and a typing error`, () => {
      listings.forEach(({ token, symbol, name }) => {
        const assertRank = (text: string, worst: number) => {
          const found = search(index, text, 20).find((one) => one.token === token);
          assert.ok(found !== undefined && found.rank <= worst, `${text} ${found?.rank}`);
        };
        const points = Array.from(name);
        assertRank(symbol, RANKS.symbol);
        assertRank(name, RANKS.name);
        assertRank(points.slice(0, 3).join(''), RANKS.namePrefix);
        assertRank(points.slice(2, 5).join(''), RANKS.namePart);
        // The fourth letter is replaced.
        assertRank([...points.slice(0, 3), '¤', ...points.slice(4)].join(''), RANKS.oneEdit);
      });
    });
  }

  test('a text of ten thousand letters finds nothing, at once', () => {
    const long = 'wrapped ether '.repeat(800);
    for (const index of [inSegment(listings), oneByOne(listings)]) {
      assert.deepEqual(search(index, long, 20), []);
    }
  });
});

const letters = fc.constantFrom('a', 'b', 'c', ' ', 'é', '漢', '💎', '%');
const word = fc.string({ unit: letters, minLength: 1, maxLength: 9 });
const listing = fc.record({
  token: fc.integer({ min: 1, max: 60 }).map(buildToken),
  symbol: fc.option(word),
  name: fc.option(word),
  isVerified: fc.boolean(),
  liquidityUsdE18: fc.option(
    fc.integer({ min: 0, max: 3 }).map((number) => BigInt(number) * 50_000n * 10n ** 18n),
  ),
});

test('through changes and new segments the index equals a linear scan', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), listing }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), listing }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'begin' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'finish' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'replace' as const }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('search' as const), text: word }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const index = new ChainSearch();
      const model = new Map<string, Listing>();
      let begun: Listing[] | null = null;
      for (const one of steps) {
        if (one.kind === 'put') {
          index.put(one.listing);
          model.set(one.listing.token, one.listing);
        } else if (one.kind === 'remove') {
          index.remove(one.listing.token);
          model.delete(one.listing.token);
        } else if (one.kind === 'begin') {
          index.begin();
          begun = [...model.values()];
        } else if (one.kind === 'finish') {
          if (begun !== null) index.setSegment(buildSegment(begun));
          begun = null;
        } else if (one.kind === 'replace') {
          if (begun !== null) index.replaceAll(begun);
          begun = null;
        } else if (foldText(one.text) !== '') {
          const expected = searchPlainly([...model.values()], one.text, 5);
          assert.deepEqual(search(index, one.text, 5), expected, one.text);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('hidden tokens are left out, and the next best take their places', () => {
  const listings = [1, 2, 3, 4].map((number) => ({
    token: buildToken(number),
    symbol: 'SAME',
    name: null,
    isVerified: false,
    liquidityUsdE18: BigInt(number),
  }));
  for (const index of [inSegment(listings), oneByOne(listings)]) {
    const query = parseSearchQuery('same');
    const found = index.search(query, 2, (token) => token === buildToken(4));
    assert.deepEqual(
      found.map(({ token }) => token),
      [buildToken(3), buildToken(2)],
    );
  }
});

describe('who is who', () => {
  const USD = 10n ** 18n;
  const list = (
    rows: readonly [symbol: string, name: string, isVerified: boolean, usd: bigint][],
  ) =>
    rows.map(([symbol, name, isVerified, usd], index) => ({
      ...{ token: buildToken(index + 1), symbol, name, isVerified },
      liquidityUsdE18: usd * USD,
    }));
  const assertOrder = (listings: readonly Listing[], text: string, order: readonly number[]) => {
    for (const index of [inSegment(listings), oneByOne(listings)]) {
      for (let limit = 1; limit <= order.length; limit += 1) {
        assert.deepEqual(
          search(index, text, limit).map(({ token }) => token),
          order.slice(0, limit).map(buildToken),
        );
      }
    }
  };

  test('a verified token comes before the more liquid that copy its symbol', () => {
    const listings = list([
      ['USDT', 'Tether USD', false, 900_000n],
      ['USDT', 'Tether USD', true, 10n],
      ['USDT', 'Tether USD', false, 99_999n],
    ]);
    assertOrder(listings, 'usdt', [2, 1, 3]);
  });

  test('a better match does not put an impostor before a verified or liquid token', () => {
    const tether = list([
      ['SCAM', 'Tether', false, 99_999n],
      ['USDT', 'Tether USD', true, 0n],
      ['TETHER', 'Tether', false, 0n],
    ]);
    assertOrder(tether, 'tether', [2, 3, 1]);
    const bitcoin = list([
      ['BTC', 'Bitcoin', false, 5n],
      ['WBTC', 'Wrapped Bitcoin', false, 100_000n],
    ]);
    assertOrder(bitcoin, 'btc', [2, 1]);
  });

  test('among established tokens the better match comes first', () => {
    const listings = list([
      ['WBTC', 'Wrapped Bitcoin', true, 5_000_000n],
      ['BTC', 'Bitcoin', false, 100_000n],
    ]);
    assertOrder(listings, 'btc', [2, 1]);
  });

  test('a match with a typing error never comes before one without', () => {
    const listings = list([
      ['ETHER', 'Ether', true, 5_000_000n],
      ['ETHRE', 'Ethre', false, 0n],
      ['ETHRA', 'Ethra', false, 50n],
    ]);
    assertOrder(listings, 'ethre', [2, 1, 3]);
  });
});
