// Only a limited number of calls waits for a node.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NodeGate } from './contract-book.ts';

describe('the gate before a node', () => {
  it('refuses a call beyond the limit of its chain, and admits the next after one ends', async () => {
    const gate = new NodeGate(2);
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    const calls = [
      gate.call('base', () => first.promise),
      gate.call('base', () => second.promise),
      gate.call('base', () => assert.fail('not called')),
      gate.call('ethereum', async () => 'another chain'),
    ];
    assert.deepEqual(await Promise.all(calls.slice(2)), [null, 'another chain']);
    first.resolve('first');
    assert.equal(await calls[0], 'first');
    assert.equal(await gate.call('base', async () => 'next'), 'next');
    second.resolve('second');
    assert.equal(await calls[1], 'second');
  });

  it('answers null for a call that fails, which then no longer counts', async () => {
    const gate = new NodeGate(1);
    assert.equal(await gate.call('base', () => Promise.reject(new Error('silent'))), null);
    assert.equal(await gate.call('base', async () => 'next'), 'next');
  });
});
