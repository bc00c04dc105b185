// Server-Sent Events are parsed wherever the network cuts them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBlockParser } from './event-blocks.ts';

const TEXT =
  'retry: 2000\n\nevent: trade\nid: a1\ndata: {"x":\ndata: 1}\n\n: beat\nid: a2\n\nevent: price\r\ndata:{}\r\n\r\n';

const none = { event: 'message', data: null, id: null, retryMs: null };

test('blocks are the same in pieces of every length', () => {
  const expected = [
    { ...none, retryMs: 2000 },
    { ...none, event: 'trade', data: '{"x":\n1}', id: 'a1' },
    { ...none, id: 'a2' },
    { ...none, event: 'price', data: '{}' },
  ];
  for (let length = 1; length <= TEXT.length; length += 1) {
    const parse = createBlockParser();
    const pieces = TEXT.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
    assert.deepEqual(pieces.flatMap(parse), expected, `pieces of ${length}`);
  }
});
