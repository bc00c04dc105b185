// Pins that ids encode a reader's position, and that no other text is accepted.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { address } from '../../../test/test-ids.ts';
import { findFamily } from '../../engines/chain-families.ts';
import { comparePositions, encodeEventId, parseEventId, type StreamName } from './stream-point.ts';

const { addresses } = findFamily('devnet');
const NAME: StreamName = { chain: 'devnet', token: address('0xaa'), addresses, epoch: 'e1' };

const points = fc
  .tuple(fc.nat(2 ** 31), fc.nat(2 ** 31), fc.nat(2 ** 31 - 1), fc.nat(2 ** 42))
  .map(([version, block, logIndex, timeMs]) => ({
    version,
    position: { block, logIndex, timeMs },
  }));

describe('ids', () => {
  test('encoding and decoding an id round-trip', () => {
    fc.assert(
      fc.property(points, (point) => {
        assert.deepEqual(parseEventId(NAME, encodeEventId(NAME, point)), point);
      }),
    );
  });

  test('an id of another token, chain or index is rejected', () => {
    fc.assert(
      fc.property(points, (point) => {
        const id = encodeEventId(NAME, point);
        for (const other of [
          { token: address('0xab') },
          { chain: 'base' as const },
          { epoch: 'e2' },
        ]) {
          assert.equal(parseEventId({ ...NAME, ...other }, id), null);
        }
      }),
    );
  });

  test('an id with any character changed, added or missing is refused', () => {
    fc.assert(
      fc.property(points, fc.nat(), fc.constantFrom('0', 'a', '.', 'Z', ' '), (point, at, to) => {
        const id = encodeEventId(NAME, point);
        const index = at % id.length;
        const changed = id.slice(0, index) + to + id.slice(index + 1);
        if (changed !== id) assert.equal(parseEventId(NAME, changed), null);
        assert.equal(parseEventId(NAME, id.slice(0, index)), null);
        assert.equal(parseEventId(NAME, id + to), null);
      }),
    );
  });

  test('any text is either a valid id or rejected, never an error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(parseEventId(NAME, text), null);
      }),
    );
  });
});

describe('positions', () => {
  test('follow the order of the chain, not its clock', () => {
    const at = (block: number, logIndex: number, timeMs: number) => ({ block, logIndex, timeMs });
    assert.ok(comparePositions(at(1, 5, 900), at(2, 0, 100)) < 0);
    assert.ok(comparePositions(at(2, 1, 1), at(2, 0, 100)) > 0);
    assert.equal(comparePositions(at(2, 1, 1), at(2, 1, 100)), 0);
  });
});
