// Server-Sent Events are parsed wherever the network cuts them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventParser } from './event-parser.ts';

const TEXT =
  'retry: 2000\n\nevent: trade\nid: a1\ndata: {"x":\ndata: 1}\n\n: beat\nid: a2\n\nevent: price\r\ndata:{}\r\n\r\n';

function parseIn(pieceLength: number): string[] {
  const seen: string[] = [];
  const parse = createEventParser({
    onEvent: ({ name, data }) => seen.push(`${name} ${data}`),
    onId: (id) => seen.push(`#${id}`),
  });
  for (let at = 0; at < TEXT.length; at += pieceLength) parse(TEXT.slice(at, at + pieceLength));
  return seen;
}

test('events are the same in pieces of every length, and ids follow their event', () => {
  const expected = ['trade {"x":\n1}', '#a1', '#a2', 'price {}'];
  for (let length = 1; length <= TEXT.length; length += 1) {
    assert.deepEqual(parseIn(length), expected, `pieces of ${length}`);
  }
});
