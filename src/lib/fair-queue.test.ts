// Callers are served in turn, within the limits.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue } from './fair-queue.ts';

function drain(queue: FairQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe('FairQueue', () => {
  it('serves callers in turn, and the items of each in their order', () => {
    const queue = new FairQueue<string>({ lengthMax: 100, perCallerMax: 100 });
    for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) {
      assert.equal(queue.push(item.slice(0, 1), item), null);
    }
    assert.equal(queue.length, 7);
    assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    assert.equal(queue.length, 0);
  });

  it('lets a new caller wait for at most one item of a flood', () => {
    const queue = new FairQueue<string>({ lengthMax: 100, perCallerMax: 100 });
    for (let i = 0; i < 50; i += 1) queue.push('flood', `flood ${i}`);
    queue.shift();
    queue.push('other', 'other');
    assert.ok(drain(queue).indexOf('other') <= 1);
  });

  it('is bounded, in all and per caller', () => {
    const queue = new FairQueue<string>({ lengthMax: 3, perCallerMax: 2 });
    assert.deepEqual(
      ['a1', 'a2', 'a3', 'b1', 'b2'].map((item) => queue.push(item.slice(0, 1), item)),
      [null, null, 'a3', null, 'b2'],
    );
    assert.equal(queue.shift(), 'a1');
    assert.equal(queue.push('c', 'c1'), null);
    assert.deepEqual(drain(queue), ['b1', 'a2', 'c1']);
  });

  it('removes a single item', () => {
    const queue = new FairQueue<string>({ lengthMax: 100, perCallerMax: 100 });
    for (const item of ['a1', 'a2', 'a3', 'b1']) queue.push(item.slice(0, 1), item);
    assert.equal(queue.remove('a', 'a2'), true);
    assert.equal(queue.remove('a', 'a2'), false);
    assert.equal(queue.remove('b', 'b1'), true);
    assert.equal(queue.remove('c', 'c1'), false);
    assert.equal(queue.length, 2);
    queue.push('b', 'b2');
    assert.deepEqual(drain(queue), ['a1', 'b2', 'a3']);
    assert.equal(queue.length, 0);
  });

  it('makes room for a new caller by evicting from the one with most items', () => {
    const queue = new FairQueue<string>({ lengthMax: 6, perCallerMax: 4 });
    for (const item of ['a1', 'a2', 'b1', 'b2', 'b3', 'b4']) queue.push(item.slice(0, 1), item);
    assert.equal(queue.push('c', 'c1'), 'b4');
    assert.equal(queue.push('c', 'c2'), 'b3');
    assert.equal(queue.push('c', 'c3'), 'c3', 'nobody has more than they would');
    assert.equal(queue.push('d', 'd1'), 'a2');
    assert.equal(queue.length, 6);
    assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'd1', 'b2', 'c2']);
    assert.equal(queue.length, 0);
  });
});
