// Pins strict parsing of query strings.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../errors/app-error.ts';
import { parseQueryString } from './read-input.ts';

function codeOf(text: string): string {
  try {
    parseQueryString(text);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return `${error.code} ${error.message}`;
  }
  return 'accepted';
}

test('fields are decoded', () => {
  assert.deepEqual(
    { ...parseQueryString('q=a%20b+c&chain=base&flag&&e=%F0%9F%8D%95') },
    {
      q: 'a b c',
      chain: 'base',
      flag: '',
      e: '🍕',
    },
  );
});

test('bad percent-encoding is refused', () => {
  for (const text of ['q=%', 'q=%zz', 'q=%ff', '%c3=1', 'q=%ed%a0%80']) {
    assert.match(codeOf(text), /^MALFORMED_REQUEST/, text);
  }
});

test('repeats, null characters and floods are refused by name', () => {
  assert.match(codeOf('q=1&q=2'), /^INVALID_INPUT q: must be given once/);
  assert.match(codeOf('q=a%00b'), /^INVALID_INPUT q: must not contain null/);
  assert.match(codeOf('a=1&'.repeat(5000)), /^INVALID_INPUT query: must have at most 120/);
});

test('only fields of any type are taken unchanged', () => {
  const anyText = new Set(['id']);
  const read = (text: string) => parseQueryString(text, { anyText })['id'];
  assert.equal(read('id=a%20b'), 'a b');
  assert.equal(read('id=a%00'), 'a\0');
  assert.equal(read('id=%ff'), '%ff');
  assert.equal(read('id=a&id=b'), 'a,b');
  for (const text of ['id=a&q=%ff', 'id=a&q=%00', 'id=a&q=1&q=2', '%ff=1&id=a']) {
    assert.throws(() => parseQueryString(text, { anyText }), AppError, text);
  }
});

test('__proto__ is a field like any other', () => {
  const fields = parseQueryString('__proto__=x&constructor=y');
  assert.equal(Object.keys(fields).length, 2);
  assert.deepEqual(Object.values(fields), ['x', 'y']);
});

test('a list may be repeated, and nothing else', () => {
  const lists = new Set(['chain']);
  const read = (text: string) => parseQueryString(text, { lists })['chain'];
  assert.equal(read('chain=base&chain=bsc'), 'base,bsc');
  assert.equal(read('chain=base,bsc&chain=polygon'), 'base,bsc,polygon');
  assert.throws(() => read('chain=base&chain=%00'), AppError);
  assert.throws(() => read('q=a&q=b'), AppError);
});
