// Exact decimals against a slow and obvious oracle.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import {
  addDecimals,
  compareTexts,
  decimalToText,
  ratioToText,
  roundText,
  textToDecimal,
  toRatio,
  toUnits,
} from './decimal.ts';

interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

function toFraction(text: string): Fraction {
  const [whole = '0', fraction = ''] = text.split('.');
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) };
}

/** Long division, digit by digit, then rounding by hand. */
function roundSlowly(fraction: Fraction): string {
  if (fraction.numerator === 0n) return '0';
  let exponent = 0;
  let { numerator, denominator } = fraction;
  while (numerator >= denominator * 10n) {
    denominator *= 10n;
    exponent += 1;
  }
  while (numerator < denominator) {
    numerator *= 10n;
    exponent -= 1;
  }
  let digits = 0n;
  for (let count = 0; count < 18; count += 1) {
    const digit = numerator / denominator;
    digits = digits * 10n + digit;
    numerator = (numerator - digit * denominator) * 10n;
  }
  const half = denominator * 5n;
  if (numerator > half || (numerator === half && digits % 2n === 1n)) digits += 1n;
  return toPlainSlowly(digits, exponent - 17);
}

function toPlainSlowly(digits: bigint, exponent: number): string {
  if (exponent >= 0) return (digits * 10n ** BigInt(exponent)).toString();
  const padded = digits.toString().padStart(1 - exponent, '0');
  const whole = padded.slice(0, exponent);
  const fraction = padded.slice(exponent).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.bigInt({ min: 0n, max: 10n ** 6n }),
  fc
    .nat({ max: 80 })
    .chain((power) => fc.bigInt(-2n, 2n).map((near) => 10n ** BigInt(power) + near)),
);
const positive = amount.map((value) => (value <= 0n ? 1n : value));
const text = fc
  .tuple(amount, fc.nat({ max: 60 }))
  .map(([digits, scale]) => decimalToText({ digits: digits < 0n ? 0n : digits, scale }));

describe('ratioToText', () => {
  it('equals long division rounded half-even to 18 significant digits', () => {
    fc.assert(
      fc.property(positive, positive, (numerator, denominator) => {
        assert.equal(
          ratioToText({ numerator, denominator }),
          roundSlowly({ numerator, denominator }),
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('rounds ties to the even digit and carries over all digits', () => {
    const denominator = 10n ** 18n;
    assert.equal(ratioToText({ numerator: 1000000000000000005n, denominator }), '1');
    assert.equal(
      ratioToText({ numerator: 1000000000000000015n, denominator }),
      '1.00000000000000002',
    );
    assert.equal(ratioToText({ numerator: 9999999999999999995n, denominator }), '10');
    assert.equal(
      ratioToText({ numerator: 9999999999999999994n, denominator }),
      '9.99999999999999999',
    );
  });

  it('never uses exponents, however small or large', () => {
    assert.equal(ratioToText({ numerator: 1n, denominator: 10n ** 40n }), `0.${'0'.repeat(39)}1`);
    assert.equal(
      ratioToText({ numerator: 3n * 10n ** 330n, denominator: 1n }),
      `3${'0'.repeat(330)}`,
    );
    assert.equal(ratioToText({ numerator: 0n, denominator: 7n }), '0');
  });

  it('refuses a denominator of zero', () => {
    assert.throws(() => ratioToText({ numerator: 1n, denominator: 0n }), RangeError);
  });
});

describe('decimal texts', () => {
  it('round-trip exactly', () => {
    fc.assert(
      fc.property(text, (value) => {
        assert.equal(decimalToText(textToDecimal(value)), value);
        assert.doesNotMatch(value, /e|^0\d|\.$|\.\d*0$/);
      }),
    );
  });

  it('toUnits keeps every digit', () => {
    assert.equal(toUnits(1234500n, 6), '1.2345');
    assert.equal(toUnits(1n, 18), '0.000000000000000001');
    assert.equal(toUnits(5n, 0), '5');
    assert.equal(toUnits(1200n, 0), '1200');
    assert.equal(toUnits(0n, 9), '0');
  });

  it('roundText cuts only what is longer than 18 digits', () => {
    assert.equal(roundText('1234567890.12345678'), '1234567890.12345678');
    assert.equal(roundText('1234567890.123456785'), '1234567890.12345678');
    fc.assert(
      fc.property(text, (value) => {
        assert.equal(roundText(value), roundSlowly(toFraction(value)));
      }),
    );
  });

  it('addition is exact', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [a, b] = [toFraction(left), toFraction(right)];
        const sum = toRatio(addDecimals(textToDecimal(left), textToDecimal(right)));
        assert.equal(
          sum.numerator * a.denominator * b.denominator,
          (a.numerator * b.denominator + b.numerator * a.denominator) * sum.denominator,
        );
      }),
    );
  });

  it('comparison is numeric', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [a, b] = [toFraction(left), toFraction(right)];
        const difference = a.numerator * b.denominator - b.numerator * a.denominator;
        const expected = difference === 0n ? 0 : difference < 0n ? -1 : 1;
        assert.equal(Math.sign(compareTexts(left, right)), expected);
      }),
      { numRuns: 2000 },
    );
  });
});
