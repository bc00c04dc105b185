// Pins the text of sortable integers: order, round trip and bounds.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { parseSortableInteger, toSortableInteger, UINT256_MAX } from './sortable-integer.ts';

const uint256 = fc.oneof(
  fc.bigInt({ min: 0n, max: UINT256_MAX }),
  fc.bigInt({ min: 0n, max: 10n ** 20n }),
  fc
    .tuple(fc.nat({ max: 77 }), fc.constantFrom(-1n, 0n, 1n))
    .map(([power, step]) => 10n ** BigInt(power) + step),
);

describe('sortable integer', () => {
  it('is the length in two digits and then the number', () => {
    assert.equal(toSortableInteger(0n), '010');
    assert.equal(toSortableInteger(9n), '019');
    assert.equal(toSortableInteger(10n), '0210');
    assert.equal(toSortableInteger(10n ** 18n), '191000000000000000000');
    assert.equal(toSortableInteger(UINT256_MAX), `78${UINT256_MAX}`);
  });

  it('sorts bytewise in the order of the numbers', () => {
    fc.assert(
      fc.property(uint256, uint256, (a, b) => {
        const [textA, textB] = [toSortableInteger(a), toSortableInteger(b)];
        assert.equal(
          Math.sign(Buffer.compare(Buffer.from(textA), Buffer.from(textB))),
          compare(a, b),
        );
        assert.equal(textA < textB, a < b);
      }),
      { numRuns: 2000 },
    );
  });

  it('comes back as the same number, and is the wire string after its length', () => {
    fc.assert(
      fc.property(uint256, (value) => {
        const text = toSortableInteger(value);
        assert.equal(parseSortableInteger(text), value);
        assert.equal(text.slice(2), value.toString());
      }),
    );
  });

  it('rejects anything but unsigned 256-bit integers', () => {
    assert.throws(() => toSortableInteger(-1n), RangeError);
    assert.throws(() => toSortableInteger(UINT256_MAX + 1n), RangeError);
  });

  it('rejects text in another form', () => {
    for (const text of ['', '0', '00', '01', '0212345', '1', 'xx1', '02-', '021.', '+11']) {
      assert.throws(() => parseSortableInteger(text), text);
    }
  });
});

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
