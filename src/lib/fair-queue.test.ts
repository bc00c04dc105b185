// Callers are served in turn, within the limits.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { FairQueue } from './fair-queue.ts';

/** A queue of names, whose first letters are their callers. */
function createQueue(limits = { lengthMax: 100, perCallerMax: 100 }) {
  const queue = new FairQueue<{ readonly name: string; refuse(): void }>(limits);
  const refused: string[] = [];
  const push = (name: string, signal?: AbortSignal) => {
    const caller = { caller: name.slice(0, 1), watchCaller: signal && (() => signal) };
    queue.push(caller, { name, refuse: () => refused.push(name) });
  };
  const shift = () => queue.shift()?.name;
  const drain = () => Array.from({ length: queue.length }, shift);
  return { queue, refused, push, shift, drain };
}

describe('FairQueue', () => {
  it('serves callers in turn, and the items of each in their order', () => {
    const { queue, refused, push, drain } = createQueue();
    for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) push(item);
    assert.equal(queue.length, 7);
    assert.deepEqual(drain(), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    assert.deepEqual([queue.length, refused], [0, []]);
  });

  it('lets a new caller wait for at most one item of a flood', () => {
    const { push, shift, drain } = createQueue();
    for (let i = 0; i < 50; i += 1) push(`flood ${i}`);
    shift();
    push('other');
    assert.ok(drain().indexOf('other') <= 1);
  });

  it('is bounded, in all and per caller', () => {
    const { refused, push, shift, drain } = createQueue({ lengthMax: 3, perCallerMax: 2 });
    for (const item of ['a1', 'a2', 'a3', 'b1', 'b2']) push(item);
    assert.deepEqual(refused, ['a3', 'b2']);
    assert.equal(shift(), 'a1');
    push('c1');
    assert.deepEqual(drain(), ['b1', 'a2', 'c1']);
  });

  it('is bounded per caller, also where there is room for others', () => {
    const { refused, push, drain } = createQueue({ lengthMax: 100, perCallerMax: 2 });
    for (const item of ['a1', 'a2', 'a3', 'b1']) push(item);
    assert.deepEqual(refused, ['a3']);
    assert.deepEqual(drain(), ['a1', 'b1', 'a2']);
  });

  it('drops what waits for a caller that is gone, and does not watch what was served', () => {
    const { queue, refused, push, shift, drain } = createQueue();
    const [gone, stays] = [new AbortController(), new AbortController()];
    push('a1', stays.signal);
    push('a2', gone.signal);
    for (const item of ['a3', 'b1']) push(item);
    push('b2', gone.signal);
    gone.abort();
    assert.deepEqual([refused, queue.length], [['a2', 'b2'], 3]);
    assert.equal(shift(), 'a1');
    assert.equal(getEventListeners(stays.signal, 'abort').length, 0);
    push('c1', gone.signal);
    assert.equal(refused.at(-1), 'c1');
    assert.deepEqual(drain(), ['b1', 'a3']);
  });

  it('makes room for a new caller by evicting from the one with most items', () => {
    const { queue, refused, push, drain } = createQueue({ lengthMax: 6, perCallerMax: 4 });
    for (const item of ['a1', 'a2', 'b1', 'b2', 'b3', 'b4', 'c1', 'c2', 'c3', 'd1']) push(item);
    // Nobody has more than the caller of c3 would.
    assert.deepEqual(refused, ['b4', 'b3', 'c3', 'a2']);
    assert.equal(queue.length, 6);
    assert.deepEqual(drain(), ['a1', 'b1', 'c1', 'd1', 'b2', 'c2']);
  });
});
