// Only a limited number of calls waits for a node.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callNode, createNodeSlots } from './contract-book.ts';

describe('the calls of a chain', () => {
  it('refuses a call beyond the limit of its chain, and admits the next after one ends', async () => {
    const slots = createNodeSlots(2);
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    const calls = [
      callNode(slots, 'base', () => first.promise),
      callNode(slots, 'base', () => second.promise),
      callNode(slots, 'base', () => assert.fail('not called')),
      callNode(slots, 'ethereum', async () => 'another chain'),
    ];
    assert.deepEqual(await Promise.all(calls.slice(2)), [null, 'another chain']);
    first.resolve('first');
    assert.equal(await calls[0], 'first');
    assert.equal(await callNode(slots, 'base', async () => 'next'), 'next');
    second.resolve('second');
    assert.equal(await calls[1], 'second');
  });

  it('answers null for a call that fails, which then no longer counts', async () => {
    const slots = createNodeSlots(1);
    assert.equal(await callNode(slots, 'base', () => Promise.reject(new Error('silent'))), null);
    assert.equal(await callNode(slots, 'base', async () => 'next'), 'next');
  });
});
