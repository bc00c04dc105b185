// Misspelt names find what a plain scan over every token finds.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import {
  buildSearchToken,
  inSegment,
  readTokenList,
  search,
  searchPlainly,
} from '../../../test/plain-search.ts';
import type { Listing } from './listing.ts';

/** A text with letters changed, added, left out or swapped. */
function misspell(text: string, edits: readonly { kind: number; at: number; letter: string }[]) {
  const letters = Array.from(text);
  for (const { kind, at, letter } of edits) {
    const index = at % letters.length;
    const [here = '', after = ''] = [letters[index], letters[index + 1]];
    if (kind === 0) letters[index] = letter;
    else if (kind === 1) letters.splice(index, 0, letter);
    else if (kind === 2) letters.splice(index, 1);
    else letters.splice(index, 2, after, here);
  }
  return letters.join('');
}

const edit = fc.record({
  ...{ kind: fc.nat(3), at: fc.nat(63) },
  letter: fc.constantFrom(...'abcdeit 2x'),
});
const edits = fc.array(edit, { minLength: 1, maxLength: 2 });

describe('a misspelt name', () => {
  const listings = readTokenList();
  const listNames = (tokens: readonly Listing[]) =>
    [...new Set(tokens.map(({ name }) => name ?? ''))].filter((name) => name.length >= 8);

  test('finds what a linear scan finds', () => {
    // So few that the limit of texts compared is not reached.
    const few = listings.slice(0, 440);
    const index = inSegment(few);
    fc.assert(
      fc.property(fc.constantFrom(...listNames(few)), edits, (name, made) => {
        const text = misspell(name.toLowerCase(), made);
        assert.deepEqual(search(index, text, 450), searchPlainly(few, text, 450), text);
      }),
      { numRuns: 150, seed: 18 },
    );
  });

  test('finds the most prominent also where only a part of all texts is compared', () => {
    // Every pool share has the same name, so runs of its letters are in most of the texts.
    const shares = Array.from({ length: 3000 }, (_, number) => ({
      ...{ token: buildSearchToken(10_000 + number), symbol: 'UNI-V2', name: 'Uniswap V2' },
      ...{ isVerified: false, prominence: number % 60 === 0 ? 9 : 1 },
    }));
    const all = [...listings, ...shares];
    const first = all.toSorted((a, b) => b.prominence - a.prominence).slice(0, 100);
    const index = inSegment(all);
    fc.assert(
      fc.property(fc.constantFrom(...listNames(first)), edits, (name, made) => {
        const text = misspell(name.toLowerCase(), made);
        const found = new Set(search(index, text, all.length).map(({ token }) => token));
        const missing = searchPlainly(first, text, 100).filter(({ token }) => !found.has(token));
        assert.deepEqual(missing, [], text);
      }),
      { numRuns: 361, seed: 5, examples: [['Uniswap V2', [{ kind: 2, at: 8, letter: '' }]]] },
    );
  });
});
