// Which encoding a client gets for what it accepts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepts, pickEncoding } from './compress-body.ts';

/** The header, the encoding of the response, and whether a plain one is ruled out. */
const CASES: readonly (readonly [string | undefined, string | null, boolean?])[] = [
  [undefined, null],
  ['', null],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['gzip;q=0', null],
  ['gzip;q=0, br', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', null],
  ['*;q=0, gzip', 'gzip', true],
  ['identity', null],
  ['identity, gzip', 'gzip'],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity;q=0, gzip', 'gzip', true],
  ['identity;q=0', null],
  ['deflate', null],
  ['zstd, deflate;q=0.5', null],
  ['gzip ; q = 0.3 , br ; q=0.2', 'gzip'],
  ['gzip;q=x', 'gzip'],
  [';;,,=', null],
];

test('the best encoding that the client accepts is picked, and identity is kept possible', () => {
  for (const [header, encoding, isForced = false] of CASES) {
    const expected = encoding === null ? null : { encoding, isForced };
    // Twice, since choices are kept.
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual(pickEncoding(header), expected, header);
  }
});

test('an accepted encoding is one with a quality above zero, named or not', () => {
  assert.ok(accepts('br, gzip;q=0.1', 'gzip'));
  assert.ok(accepts('br, *;q=0.1', 'gzip'));
  assert.ok(!accepts('br, gzip;q=0', 'gzip'));
  assert.ok(!accepts('br', 'gzip'));
  assert.ok(!accepts(undefined, 'gzip'));
});
