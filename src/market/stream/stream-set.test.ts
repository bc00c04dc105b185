// Pins that one id encodes the points of all tokens, and that no other text is accepted.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { address } from '../../../test/test-ids.ts';
import { findFamily } from '../../engines/chain-families.ts';
import { createSet, encodeSetId, parseSetId } from './stream-set.ts';

const { addresses } = findFamily('devnet');

function buildSet(tokens: readonly string[], epoch = 'e1') {
  return createSet(
    tokens.map((token, index) => {
      const chain = index % 2 === 0 ? 'base' : 'devnet';
      return { chain, token: address(token), addresses, epoch };
    }),
  );
}

const TOKENS = ['0xa', '0xb', '0xc', '0xd', '0xe'];
const SET = buildSet(TOKENS);

const point = fc
  .tuple(fc.nat(2 ** 31), fc.nat(2 ** 31), fc.nat(2 ** 31 - 1), fc.nat(2 ** 42))
  .map(([version, block, logIndex, timeMs]) => ({
    version,
    position: { block, logIndex, timeMs },
  }));

/** Mostly a few points that several tokens share. */
const points = fc
  .tuple(
    fc.array(point, { minLength: 1, maxLength: 3 }),
    fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
  )
  .map(([few, picks]) => picks.map((pick) => few[pick % few.length]!));

describe('ids of several tokens', () => {
  test('encoding and decoding round-trip, and the order of the tokens does not matter', () => {
    const other = createSet(SET.names.toReversed());
    fc.assert(
      fc.property(points, (list) => {
        const id = encodeSetId(SET, list);
        assert.deepEqual(parseSetId(SET, id), list);
        assert.deepEqual(parseSetId(other, id), list);
      }),
      { seed: 1 },
    );
  });

  test('an id of other tokens or of another index is rejected', () => {
    fc.assert(
      fc.property(points, (list) => {
        const id = encodeSetId(SET, list);
        for (const set of [
          buildSet([...TOKENS.slice(0, 4), '0xf']),
          buildSet(TOKENS.slice(0, 4)),
          buildSet(TOKENS, 'e2'),
        ]) {
          assert.equal(parseSetId(set, id), null);
        }
      }),
      { seed: 2 },
    );
  });

  test('an id with any character changed, added or missing is refused', () => {
    fc.assert(
      fc.property(points, fc.nat(), fc.constantFrom('0', 'a', '.', 'Z', ' '), (list, at, to) => {
        const id = encodeSetId(SET, list);
        const index = at % id.length;
        const changed = id.slice(0, index) + to + id.slice(index + 1);
        if (changed !== id) assert.equal(parseSetId(SET, changed), null);
        assert.equal(parseSetId(SET, id.slice(0, index)), null);
        assert.equal(parseSetId(SET, id + to), null);
      }),
      { seed: 3 },
    );
  });

  test('any text is either a valid id or rejected, never an error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(parseSetId(SET, text), null);
      }),
      { seed: 4 },
    );
  });
});
