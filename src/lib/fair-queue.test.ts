// Turns between callers, and the bounds.

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
      assert.ok(queue.push(item.slice(0, 1), item));
    }
    assert.equal(queue.length, 7);
    assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    assert.equal(queue.length, 0);
  });

  it('lets somebody new wait for one item of a flood at most', () => {
    const queue = new FairQueue<string>({ lengthMax: 100, perCallerMax: 100 });
    for (let i = 0; i < 50; i += 1) queue.push('flood', `flood ${i}`);
    queue.shift();
    queue.push('other', 'other');
    assert.ok(drain(queue).indexOf('other') <= 1);
  });

  it('takes no more than it has room for, in all and of one caller', () => {
    const queue = new FairQueue<string>({ lengthMax: 3, perCallerMax: 2 });
    assert.deepEqual(
      ['a', 'a', 'a', 'b', 'c'].map((caller) => queue.push(caller, caller)),
      [true, true, false, true, false],
    );
    assert.equal(queue.shift(), 'a');
    assert.equal(queue.push('c', 'c'), true);
    assert.deepEqual(drain(queue), ['b', 'a', 'c']);
  });
});
