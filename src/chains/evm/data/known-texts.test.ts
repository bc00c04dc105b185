// Pins what is remembered of repeated texts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTopicAddress } from './hex-data.ts';
import { KnownTexts } from './known-texts.ts';

test('a text is parsed once, and every copy of it becomes the same string', () => {
  const parsed: string[] = [];
  const known = new KnownTexts((text) => {
    parsed.push(text);
    return text.startsWith('0x') ? text.slice(2) : null;
  });
  assert.deepEqual([known.find('0xab'), known.find('0xab')], ['ab', 'ab']);
  assert.deepEqual(parsed, ['0xab']);
});

test('a text that cannot be parsed is not remembered', () => {
  let calls = 0;
  const known = new KnownTexts(() => {
    calls += 1;
    return null;
  });
  assert.deepEqual([known.find('x'), known.find('x')], [null, null]);
  assert.equal(calls, 2);
});

test('texts beyond the limit are forgotten, the oldest first, and parsed again', () => {
  const parsed: string[] = [];
  const known = new KnownTexts((text) => {
    parsed.push(text);
    return text;
  });
  for (let index = 0; index <= 20_000; index += 1) known.find(`${index}`);
  parsed.length = 0;
  assert.equal(known.find('20000'), '20000');
  assert.equal(known.find('0'), '0');
  assert.deepEqual(parsed, ['0']);
});

test('a topic with an address is that address, any other is none', () => {
  const topic = `0x${'0'.repeat(24)}${'ab'.repeat(20)}`;
  assert.equal(toTopicAddress(topic), `0x${'ab'.repeat(20)}`);
  assert.equal(toTopicAddress(topic), `0x${'ab'.repeat(20)}`);
  assert.equal(toTopicAddress(`0x${'1'.repeat(64)}`), null);
  assert.equal(toTopicAddress(undefined), null);
});
