// Pins what counts as a duplicate key.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { findDuplicateKey } from './find-duplicate-key.ts';

test('a key that its object has already is found, at any depth', () => {
  const cases: readonly [string, string][] = [
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":{"c":[],"c":null}}', 'b.c'],
    ['[{"a":1},{"b":[0,{"c":1,"c":1}]}]', '1.b.1.c'],
    ['{"a":{"x":1},"a":{}}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"constructor":1,"constructor":2}', 'constructor'],
    [String.raw`{"a":1,"\u0061":2}`, 'a'],
    [String.raw`{"\"":1,"\u0022":2}`, '"'],
    [String.raw`{"\\":1,"\\":2}`, '\\'],
    [String.raw`{"a\\":1,"b":"\\\"","a\\":2}`, 'a\\'],
    [' { "a" : "x" , "b" : [ ] , "a" : 1 } ', 'a'],
  ];
  for (const [json, path] of cases) {
    JSON.parse(json);
    assert.equal(findDuplicateKey(json), path, json);
  }
});

test('keys of different objects, values and texts with commas are no duplicates', () => {
  const cases = [
    'null',
    '"a"',
    '[]',
    '{}',
    '["a","a"]',
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":[{"b":1},{"b":2}],"b":1}',
    String.raw`{"a":"\",\"a\":1","b":"{,}[,]"}`,
    String.raw`{"a\\":1,"a":2,"\\a":3}`,
    '{"a":1,"A":2," a":3}',
    '{"__proto__":1,"toString":2}',
  ];
  for (const json of cases) {
    JSON.parse(json);
    assert.equal(findDuplicateKey(json), null, json);
  }
});

test('the output of JSON.stringify has none, and with a repeated key it has one', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
      const json = JSON.stringify(value);
      assert.equal(findDuplicateKey(json), null);
      const [key] = Object.keys(value);
      if (key === undefined) return;
      const twice = `${json.slice(0, -1)},${JSON.stringify(key)}:0}`;
      assert.equal(findDuplicateKey(twice), key);
    }),
  );
});

test('text as deeply nested as a body allows is read', () => {
  const deep = 30_000;
  assert.equal(findDuplicateKey(`${'['.repeat(deep)}${']'.repeat(deep)}`), null);
  assert.equal(findDuplicateKey(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`), null);
});
