// Little work is done at once; the rest begins in turn, unless its callers are gone.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WorkSlots } from './work-slots.ts';

function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    begun.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return name;
  };
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

const QUEUE = { lengthMax: 3, perCallerMax: 2 };

function createScene(countMax: number) {
  const turns = new WorkSlots({ countMax, queue: QUEUE, buildError: () => new Error('full') });
  const { begun, work, end } = createWork();
  const run = (name: string, caller = name, signal?: AbortSignal) =>
    turns.run(work(name), { caller, watchCaller: signal && (() => signal) });
  return { begun, end, run };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
}

const isFull = { message: 'full' };

describe('WorkSlots', () => {
  it('lets as many work at once as there are places, and the next when one has ended', async () => {
    const { begun, end, run } = createScene(2);
    const all = ['a', 'b', 'c', 'd'].map((name) => run(name));
    await settle();
    assert.deepEqual(begun, ['a', 'b']);
    end('b');
    await settle();
    assert.deepEqual(begun, ['a', 'b', 'c']);
    for (const name of ['a', 'c']) end(name);
    await settle();
    end('d');
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd']);
    const again = run('e');
    await settle();
    assert.equal(begun.at(-1), 'e', 'the places are free again');
    end('e');
    await again;
  });

  it('serves callers in turn', async () => {
    const { begun, end, run } = createScene(1);
    const all = [run('a', 'flood'), run('b', 'flood'), run('c', 'flood'), run('d', 'other')];
    for (const name of ['a', 'b', 'd']) {
      await settle();
      end(name);
    }
    await settle();
    assert.deepEqual(begun, ['a', 'b', 'd', 'c']);
    end('c');
    await Promise.all(all);
  });

  it('gives the place on when work fails', async () => {
    const turns = new WorkSlots({ countMax: 1, queue: QUEUE });
    const failing = turns.run(
      async () => {
        throw new RangeError('no');
      },
      { caller: 'a' },
    );
    const next = turns.run(async () => 'b', { caller: 'b' });
    await assert.rejects(failing, RangeError);
    assert.equal(await next, 'b');
  });

  it('gives a place on once, if work leaves it before it ends', async () => {
    const turns = new WorkSlots({ countMax: 1, queue: QUEUE });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const first = turns.run((leave) => {
      leave();
      leave();
      return ended;
    });
    const { begun, work, end: endWork } = createWork();
    const others = ['b', 'c'].map((name) => turns.run(work(name)));
    await settle();
    assert.deepEqual(begun, ['b']);
    end();
    await first;
    await settle();
    assert.deepEqual([begun, turns.waiting], [['b'], 1]);
    endWork('b');
    await settle();
    endWork('c');
    await Promise.all(others);
  });

  it('refuses what finds no room in the queue', async () => {
    const { end, run } = createScene(1);
    const all = [run('a', 'x'), run('b', 'x'), run('c', 'x')];
    await assert.rejects(run('d', 'x'), isFull);
    for (const name of ['a', 'b', 'c']) {
      await settle();
      end(name);
    }
    await Promise.all(all);
  });

  it('drops a caller that is gone, and no longer watches one that has begun', async () => {
    const { begun, end, run } = createScene(1);
    const first = run('a');
    const [gone, stays] = [new AbortController(), new AbortController()];
    const dropped = run('b', 'b', gone.signal);
    const kept = run('c', 'c', stays.signal);
    gone.abort();
    await assert.rejects(dropped, isFull);
    end('a');
    await settle();
    assert.deepEqual(begun, ['a', 'c']);
    assert.equal(getEventListeners(stays.signal, 'abort').length, 0);
    end('c');
    assert.deepEqual(await Promise.all([first, kept]), ['a', 'c']);
  });

  it('refuses a caller that is gone before it waits', async () => {
    const { end, run } = createScene(1);
    const first = run('a');
    await assert.rejects(run('b', 'b', AbortSignal.abort()), isFull);
    await settle();
    end('a');
    await first;
  });

  it('refuses nothing without a queue of its own, and does all of very much work', async () => {
    const slots = new WorkSlots({ countMax: 16 });
    let [running, most] = [0, 0];
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
    };
    await Promise.all(Array.from({ length: 300 }, () => slots.run(work)));
    assert.deepEqual([most, running, slots.waiting], [16, 0, 0]);
  });
});
