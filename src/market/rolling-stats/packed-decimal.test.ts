// Packed numbers against the rounding that they stand for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { roundText, textToDecimal } from '../../lib/decimal.ts';
import { packDecimal, unpackDecimal } from './packed-decimal.ts';

test('a packed number is the number rounded to 18 digits', () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 45n });
  const scales = fc.integer({ min: 0, max: 60 });
  fc.assert(
    fc.property(digits, scales, (number, scale) => {
      const padded = number.toString().padStart(scale + 1, '0');
      const at = padded.length - scale;
      const fraction = padded.slice(at).replace(/0+$/, '');
      const text = fraction === '' ? padded.slice(0, at) : `${padded.slice(0, at)}.${fraction}`;
      const packed = packDecimal(text);
      assert.equal(unpackDecimal(packed), roundText(text));
      if (textToDecimal(text).digits === 0n) assert.deepEqual(packed, { digits: 0n, exponent: 0 });
      else assert.equal(packed.digits.toString().length, 18);
    }),
    { seed: 18, numRuns: 2000 },
  );
});
