// Compares search with a plain scan over every token: real lists, generated ones, and lists that
// change.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import {
  buildSearchToken,
  inSegment,
  oneByOne,
  parse,
  readTokenList,
  search,
  searchPlainly,
} from '../../../test/plain-search.ts';
import { foldText } from '../../lib/clean-text.ts';
import type { Address } from '../../model/ids.ts';
import { ChainSearch } from './chain-search.ts';
import type { Listing } from './listing.ts';
import { MATCHES, type Match } from './match-text.ts';
import { VERIFIED_POINTS } from './prominence.ts';
import { buildSegment } from './segment.ts';

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
  'ether wrapped',
  'wrapped bitcoin',
  'coin usd',
  'usdcoin',
  'usd coin token',
  'wrapped eth',
  'eth',
  'bitcoin',
  'token network',
  'wrap eth',
  'ether.fi',
  'uniswap 2',
  '0x0000',
  '0x00000000000000000000000000000000000001',
  '0x0000…01',
  '0x0000...7f',
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

  test('WETH is found twenty times, the most prominent first', () => {
    const found = search(inSegment(listings), 'weth', 20);
    const equal = found.filter(({ kind, score, prominence }) => {
      return kind === 'symbol' && score - prominence === MATCHES.symbol.points;
    });
    assert.ok(equal.length > 10);
    const prominences = equal.map(({ prominence }) => prominence);
    assert.deepEqual(
      prominences,
      prominences.toSorted((a, b) => b - a),
    );
  });

  test('a typing error is forgiven from four letters, two from eight', () => {
    const index = inSegment(listings);
    const kindsOf = (text: string) => new Set(search(index, text, 2000).map(({ kind }) => kind));
    assert.ok(!kindsOf('wee').has('oneEdit'));
    assert.ok(kindsOf('wethh').has('oneEdit'));
    assert.ok(!kindsOf('chnlink').has('twoEdits'));
    assert.ok(kindsOf('chainxxnk').has('twoEdits'));
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
    token: buildSearchToken(index + 1),
    symbol,
    name,
    isVerified: false,
    prominence: 0,
  }));
  for (const [kind, index] of [
    ['in a segment', inSegment(listings)],
    ['one by one', oneByOne(listings)],
  ] as const) {
    test(`${kind}, each is found whole, by its beginning, a part, and a typing error`, () => {
      listings.forEach(({ token, symbol, name }) => {
        const assertMatch = (text: string, { points }: Match) => {
          const found = search(index, text, 20).find((one) => one.token === token);
          assert.ok(found !== undefined && found.score >= points, `${text} ${found?.kind}`);
        };
        const letters = Array.from(name);
        assertMatch(symbol, MATCHES.symbol);
        assertMatch(name, MATCHES.name);
        assertMatch(letters.slice(0, 3).join(''), MATCHES.namePrefix);
        assertMatch(letters.slice(2, 5).join(''), MATCHES.namePart);
        // The fourth letter is replaced.
        assertMatch([...letters.slice(0, 3), '¤', ...letters.slice(4)].join(''), MATCHES.oneEdit);
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

const letter = fc.constantFrom('a', 'b', 'c', ' ', 'é', '漢', '💎', '%');
const word = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: letter, minLength: 1, maxLength: 9 }) },
  // Words with aliases, wrapped coins, beginnings and shortened forms of addresses.
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.constantFrom('btc', 'bitcoin', 'wbtc', 'wrapped', 'eth', 'a', 'wa', 'bit-coin', '$a'),
        {
          ...{ minLength: 1, maxLength: 3 },
        },
      )
      .map((words) => words.join(' ')),
  },
  { weight: 1, arbitrary: fc.constantFrom('0x0000', '0x0000…1', '0x00..2a', '0x0001') },
);
const listing = fc.record({
  token: fc.integer({ min: 1, max: 60 }).map(buildSearchToken),
  symbol: fc.option(word),
  name: fc.option(word),
  isVerified: fc.boolean(),
  points: fc.integer({ min: 0, max: 6 }),
});

function toListing({ points, ...drawn }: FromArbitrary<typeof listing>): Listing {
  // A verified token has at least the points for that.
  return { ...drawn, prominence: points + (drawn.isVerified ? VERIFIED_POINTS : 0) };
}

type FromArbitrary<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

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
          const put = toListing(one.listing);
          index.put(put);
          model.set(put.token, put);
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
    ...{ token: buildSearchToken(number), symbol: 'SAME', name: null },
    ...{ isVerified: false, prominence: number },
  }));
  for (const index of [inSegment(listings), oneByOne(listings)]) {
    const isHidden = (token: Address) => token === buildSearchToken(4);
    const { found } = index.search(parse('same'), { limit: 2, isHidden });
    assert.deepEqual(
      found.map(({ token }) => token),
      [buildSearchToken(3), buildSearchToken(2)],
    );
  }
});
