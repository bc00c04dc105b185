// Pins that kept results stay within their bound, the oldest going first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { KeptResults } from './kept-results.ts';

const toAnswer = (bytes: number): ReadyAnswer => ({
  ...{ kind: 'ready', bytes: Buffer.alloc(bytes), etag: 'W/"x"' },
});

test('default: what was kept is found by its answer alone', () => {
  const kept = new KeptResults(8000);
  const answer = toAnswer(100);
  const result = { members: Buffer.alloc(200) };
  kept.keep(answer, result);
  kept.keep(answer, { members: 'another' });
  assert.equal(kept.find(answer), result);
  assert.equal(kept.find(toAnswer(100)), undefined);
  assert.equal(kept.bytes, 300);
});

test('behavior: the oldest make room, and the bound holds', () => {
  const kept = new KeptResults(8000);
  const answers = Array.from({ length: 100 }, () => toAnswer(400));
  for (const answer of answers) {
    kept.keep(answer, { members: Buffer.alloc(600) });
    assert.ok(kept.bytes <= 8000);
  }
  const found = answers.map((answer) => kept.find(answer) !== undefined);
  assert.deepEqual(found, [...Array(92).fill(false), ...Array(8).fill(true)]);
});

test('behavior: one that is too large is not kept', () => {
  const kept = new KeptResults(8000);
  const large = toAnswer(600);
  kept.keep(large, { members: Buffer.alloc(401) });
  assert.deepEqual([kept.find(large), kept.bytes], [undefined, 0]);
});
