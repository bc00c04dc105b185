// Pins the format of keys and tokens, and that a typo is detected without a lookup.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { createToken, isWellFormedToken, readTokenKind, toShownParts } from './secret-token.ts';

test('prefix, 256 bits in base62 and a checksum', () => {
  assert.match(createToken('key'), /^mw_live_[0-9A-Za-z]{49}$/);
  assert.match(createToken('session'), /^mw_sess_[0-9A-Za-z]{49}$/);
  for (const kind of ['key', 'session'] as const) {
    const token = createToken(kind);
    assert.ok(isWellFormedToken(token));
    assert.equal(readTokenKind(token), kind);
  }
});

test('tokens are unique', () => {
  const tokens = new Set(Array.from({ length: 1000 }, () => createToken('key')));
  assert.equal(tokens.size, 1000);
});

test('a change of any character is detected', () => {
  const characters = fc.constantFrom(...'0123456789ABCXYZabcxyz_-é ');
  fc.assert(
    fc.property(fc.nat(56), characters, (at, character) => {
      const token = createToken('key');
      const changed = `${token.slice(0, at)}${character}${token.slice(at + 1)}`;
      assert.equal(isWellFormedToken(changed), changed === token);
    }),
  );
});

test('text of another length or alphabet is not a token', () => {
  const token = createToken('key');
  for (const text of ['', 'mw_live_', token.slice(1), `${token}0`, ` ${token}`, 'x'.repeat(57)]) {
    assert.equal(isWellFormedToken(text), false, text);
  }
  assert.equal(readTokenKind('sk_live_abc'), null);
});

test('a token of one kind is not accepted as the other', () => {
  const token = createToken('session');
  assert.equal(isWellFormedToken(token.replace('mw_sess_', 'mw_live_')), false);
});

test('the shown form of a key has four characters at each end', () => {
  const key = createToken('key');
  assert.deepEqual(toShownParts(key), { prefix: key.slice(0, 12), last4: key.slice(-4) });
});
