// Pins that packed JSON is the same JSON, and how it looks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { packJson } from './pack-json.ts';

test('packing does not change the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 60 }), (value, width) => {
      const same = JSON.parse(JSON.stringify(value));
      assert.deepEqual(JSON.parse(packJson(value, width)), same);
    }),
  );
});

test('values that fit are on one line, small values side by side', () => {
  assert.equal(packJson({ a: 1, b: [true, null] }), '{ "a": 1, "b": [true, null] }');
  assert.equal(
    packJson({ a: 1, b: 2, c: { long: 'x'.repeat(12) }, d: 3 }, 24),
    '{\n  "a": 1, "b": 2,\n  "c": {\n    "long": "xxxxxxxxxxxx"\n  },\n  "d": 3\n}',
  );
});
