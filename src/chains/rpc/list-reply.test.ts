// Pins that a list read in parts is the list that `JSON.parse` reads.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListSplitError, splitListReply } from './list-reply.ts';

const ITEM_CHARS = 700;

function buildItems(count: number, extra: object = {}): unknown[] {
  return Array.from({ length: count }, (_, index) => {
    return { index, topics: ['0x1', '0x2'], data: 'f'.repeat(ITEM_CHARS), ...extra };
  });
}

function build(items: unknown, tail: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 7, result: items, ...tail });
}

function join(text: string): { parts: number; items: unknown[]; envelope: unknown } {
  const list = splitListReply(Buffer.from(text));
  assert.ok(list !== null);
  const parts = [...list.parts] as unknown[][];
  return { parts: parts.length, items: parts.flat(), envelope: JSON.parse(list.envelope) };
}

test('a long list is read in parts, whole and in order', () => {
  const items = buildItems(2000);
  const read = join(build(items));
  assert.ok(read.parts > 4, `${read.parts} parts`);
  assert.deepEqual(read.items, items);
  assert.deepEqual(read.envelope, { jsonrpc: '2.0', id: 7, result: [] });
  const reordered = JSON.stringify({ id: 7, result: items, jsonrpc: '2.0' });
  assert.deepEqual(join(reordered).items, items);
});

test('a list that is not written without spaces is one part', () => {
  const items = buildItems(1000);
  const text = build(items).replaceAll('},{', '}, {');
  const read = join(text);
  assert.deepEqual([read.parts, read.items], [1, items]);
});

test('short replies, errors and other results are left to the parser', () => {
  assert.equal(splitListReply(Buffer.from(build(buildItems(3)))), null);
  const long = 'x'.repeat(600_000);
  assert.equal(
    splitListReply(Buffer.from(JSON.stringify({ id: 1, error: { message: long } }))),
    null,
  );
  assert.equal(splitListReply(Buffer.from(JSON.stringify({ id: 1, result: long }))), null);
  const quoted = JSON.stringify({ id: 1, note: '"result":[', result: long });
  assert.equal(splitListReply(Buffer.from(quoted)), null);
});

test('what would be cut within an item, or is followed by another list, is not read', () => {
  const nested = Array.from({ length: 3000 }, (_, a) => ({ a, b: 'f'.repeat(300) }));
  for (const text of [
    build([{ nested }, { nested }]),
    build(buildItems(900, { text: '},{'.repeat(100) })),
    build(buildItems(900), { more: [1] }),
    build(buildItems(900)).slice(0, -ITEM_CHARS),
  ]) {
    assert.throws(() => join(text), ListSplitError);
  }
});
