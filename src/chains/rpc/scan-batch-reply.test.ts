// Pins that the results found in a reply to a batch are those of its calls.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBytes } from './json-bytes.ts';
import { scanBatchReply } from './scan-batch-reply.ts';

const RESULTS = [{ a: [1, { b: '],}' }] }, '0x1', null, [], -1.5e3, true];
const CALLS = { firstId: 7, count: RESULTS.length };

function buildItems(): Record<string, unknown>[] {
  return RESULTS.map((result, index) => ({ jsonrpc: '2.0', id: 7 + index, result }));
}

function scan(text: string, calls = CALLS): unknown[] | null {
  return scanBatchReply(Buffer.from(text), calls)?.map(parseBytes) ?? null;
}

test('results are found by the ids of their calls, in whatever order they come', () => {
  const items = buildItems();
  assert.deepEqual(scan(JSON.stringify(items)), RESULTS);
  assert.deepEqual(scan(`${JSON.stringify(items)}\n`), RESULTS);
  assert.deepEqual(scan(JSON.stringify(items.toReversed())), RESULTS);
  const reordered = items.map(({ id, result }) => ({ result, extra: { id: 1 }, id }));
  assert.deepEqual(scan(JSON.stringify(reordered)), RESULTS);
});

test('anything but one result for each call is left to the parser', () => {
  const items = buildItems();
  const [first, ...others] = items;
  const error = { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } };
  for (const reply of [
    others,
    [first, ...items.slice(0, -1)],
    [...items, { jsonrpc: '2.0', id: 99, result: 1 }],
    [error, ...others],
    [{ ...first, error: { code: 1, message: 'no' } }, ...others],
    [{ ...first, id: '7x' }, ...others],
    [{ jsonrpc: '2.0', result: 1 }, ...others],
    [],
    error,
    'overloaded',
  ]) {
    assert.equal(scan(JSON.stringify(reply)), null, JSON.stringify(reply));
  }
});

test('what is no JSON, or is followed by something, is left to the parser', () => {
  const text = JSON.stringify(buildItems());
  for (const reply of ['', text.slice(0, -1), `${text}\n1`, `${text}1`, text.replace(',', ',,')]) {
    assert.equal(scan(reply), null, reply);
  }
  assert.equal(scan(JSON.stringify(buildItems(), null, 1)), null);
  assert.equal(scan(text.replace('"0x1"', '"\\u0030x1"')), null);
});
