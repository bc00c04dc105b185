// Pins what is removed from untrusted text before it is shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { cleanText } from './clean-text.ts';

test('ordinary names stay as they are', () => {
  for (const name of ['USD Coin', 'Wrapped Ether', '日本円', 'Ünïcode €', '🐶 Doge', '$PEPE 2.0']) {
    assert.equal(cleanText(name), name);
  }
});

test('control, direction and zero-width characters are removed', () => {
  assert.equal(cleanText('US\u202eDC\u0000\u0007'), 'USDC');
  assert.equal(cleanText('\u2066U\u200bS\u200dD\ufeffC\u2069'), 'USDC');
  assert.equal(cleanText('U\u00adSD\u{e0041}C\u061c'), 'USDC');
  assert.equal(cleanText('\u3164\u115f'), null);
});

test('whitespace collapses and is trimmed', () => {
  assert.equal(cleanText('  A \n\t B\u00a0\u2003C\u2028 '), 'A B C');
});

test('text is normalised to composed form, so that equal looks are equal strings', () => {
  assert.equal(cleanText('e\u0301'), 'é');
});

test('text without visible characters is null', () => {
  for (const text of ['', ' ', '\u0000', '\u202e\u200b', '\ufffd\ufffd', '\ud800']) {
    assert.equal(cleanText(text), null);
  }
});

test('at most 64 code points, cut between graphemes', () => {
  assert.equal(cleanText('x'.repeat(10_240)), 'x'.repeat(64));
  const flags = cleanText('🇩🇪'.repeat(40))!;
  assert.equal(flags, '🇩🇪'.repeat(32));
  const odd = cleanText(`x${'🇩🇪'.repeat(40)}`)!;
  assert.equal([...odd].length, 63);
  const zalgo = cleanText(`a${'\u0301\u0302'.repeat(500)}`)!;
  assert.ok([...zalgo].length <= 64);
});

test('a letter has at most three accents; scripts that need some keep them', () => {
  const zalgo = 'U\u0316\u0317\u0318\u0319\u0300\u0301S\u0330\u0331\u0332\u0333DT';
  assert.equal(cleanText(zalgo)?.normalize('NFD').replace(/\p{M}/gu, ''), 'USDT');
  assert.doesNotMatch(cleanText(zalgo) ?? '', /\p{M}{4}/u);
  for (const name of ['ที่นี่', 'हिन्दी', 'Tiếng Việt', 'שָׁלוֹם']) {
    assert.equal(cleanText(name), name.normalize('NFC'));
  }
});

test('the result is short, clean and stable for any input', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const clean = cleanText(text);
      if (clean === null) return true;
      return (
        [...clean].length <= 64 &&
        clean.isWellFormed() &&
        !/\p{C}/u.test(clean) &&
        clean.trim() === clean &&
        cleanText(clean) === clean
      );
    }),
    { numRuns: 2_000 },
  );
});
