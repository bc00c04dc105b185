// Requests that wait for a status: they end with a change, with time, or with their caller.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { StatusWaits } from './status-waits.ts';

/** A node whose answers change when the test says so; each sleep moves the clock. */
function createScene() {
  const clock = new ManualClock(0);
  const scene = {
    version: 1,
    status: 'pending',
    asked: 0,
    sleeps: 0,
    onSleep: (): void => undefined,
    onAsk: (): void => undefined,
  };
  const waits = new StatusWaits<string>({
    clock,
    sleep: async (ms) => {
      clock.advance(ms);
      scene.sleeps += 1;
      scene.onSleep();
      await setImmediate();
    },
  });
  const wait = (waitMs: number, more: { caller?: string; signal?: AbortSignal } = {}) =>
    waits.wait({
      ...{ name: 'one', waitMs, caller: 'test', signal: undefined, ...more },
      readVersion: () => scene.version,
      ask: async () => {
        scene.asked += 1;
        const { status } = scene;
        scene.onAsk();
        return status;
      },
      isNews: (status) => status !== 'pending',
    });
  return { clock, scene, waits, wait };
}

describe('a wait for a status', () => {
  it('ends right after the commit that changes it', async () => {
    const { scene, wait } = createScene();
    scene.onSleep = () => {
      if (scene.sleeps === 5) [scene.version, scene.status] = [2, 'confirmed'];
    };
    assert.equal(await wait(25_000), 'confirmed');
    assert.deepEqual([scene.sleeps, scene.asked], [5, 2]);
  });

  it('asks every two seconds without a commit, and ends after its time', async () => {
    const { clock, scene, wait } = createScene();
    assert.equal(await wait(25_000), 'pending');
    assert.equal(clock.monotonicMs(), 25_000);
    assert.equal(scene.asked, 13);
  });

  it('does not wait if the status is another one already', async () => {
    const { scene, wait } = createScene();
    scene.status = 'confirmed';
    assert.equal(await wait(25_000), 'confirmed');
    assert.deepEqual([scene.sleeps, scene.asked], [0, 1]);
  });

  it('counts a commit during the first question, and the time that it takes', async () => {
    const { clock, scene, wait } = createScene();
    scene.onAsk = () => {
      if (scene.asked === 1) {
        clock.advance(4000);
        scene.version = 2;
      }
    };
    await wait(25_000);
    assert.equal(clock.monotonicMs(), 25_000);
    // The commit asks again at the first pause, then every two seconds.
    assert.equal(scene.asked, 12);
  });

  it('ends when its caller disconnects, and when the process stops', async () => {
    for (const end of ['caller', 'process']) {
      const { scene, waits, wait } = createScene();
      const gone = new AbortController();
      scene.onSleep = () => {
        if (scene.sleeps < 3) return;
        if (end === 'caller') gone.abort();
        else waits.stop();
      };
      assert.equal(await wait(25_000, { signal: gone.signal }), 'pending');
      assert.equal(scene.sleeps, 3);
    }
  });

  it('is not granted beyond ten at once for a caller, and is again when one has ended', async () => {
    const { clock, scene, wait } = createScene();
    const waiting = Array.from({ length: 10 }, () => wait(25_000));
    const before = clock.monotonicMs();
    assert.equal(await wait(25_000), 'pending');
    assert.equal(clock.monotonicMs() - before < 25_000, true);
    const other = wait(25_000, { caller: 'other' });
    scene.status = 'confirmed';
    scene.version += 1;
    assert.deepEqual(new Set(await Promise.all([...waiting, other])), new Set(['confirmed']));
  });
});
