// Pins how ranges grow and shrink.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogSpan } from './log-span.ts';

const OPTIONS = { blocksStart: 100, blocksMax: 5_000, logsTarget: 1_000 };

test('quiet ranges double up to the maximum', () => {
  const span = new LogSpan(OPTIONS);
  const seen: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    seen.push(span.blocks);
    span.succeeded({ blocks: span.blocks, logs: 1 });
  }
  assert.deepEqual(seen, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

test('heavy replies shrink the range towards the target', () => {
  const span = new LogSpan(OPTIONS);
  span.succeeded({ blocks: 100, logs: 10_000 });
  assert.equal(span.blocks, 10);
});

test('a refused range is halved, however often the same one is suggested', () => {
  const span = new LogSpan({ ...OPTIONS, blocksStart: 1_000 });
  span.tooLarge({ isSure: true, blocks: 1_000, suggestedBlocks: 1_000 });
  assert.equal(span.blocks, 500);
  span.tooLarge({ isSure: true, blocks: 500, suggestedBlocks: 900 });
  assert.equal(span.blocks, 250);
  for (let n = 0; n < 20; n += 1)
    span.tooLarge({ isSure: true, blocks: span.blocks, suggestedBlocks: null });
  assert.equal(span.blocks, 1);
});

test('a smaller suggestion is followed, and caps later growth', () => {
  const span = new LogSpan({ ...OPTIONS, blocksStart: 1_000 });
  span.tooLarge({ isSure: true, blocks: 1_000, suggestedBlocks: 40 });
  assert.equal(span.blocks, 40);
  for (let n = 0; n < 15; n += 1) span.succeeded({ blocks: span.blocks, logs: 1 });
  assert.equal(span.blocks, 40);
});

test('after a refusal growth is slow, and the ceiling is retried later', () => {
  const span = new LogSpan({ ...OPTIONS, blocksStart: 1_000 });
  span.tooLarge({ isSure: true, blocks: 1_000, suggestedBlocks: null });
  span.succeeded({ blocks: 500, logs: 1 });
  assert.equal(span.blocks, 563);
  for (let n = 0; n < 200; n += 1) span.succeeded({ blocks: span.blocks, logs: 1 });
  assert.ok(span.blocks > 1_000);
});
