// Milliseconds are taken where a node gives them and they fit, and every way to read a block gives
// it the same time.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import {
  ALL,
  createSceneAdapter,
  endScene,
  LINKED,
  recordChain,
  startNode,
} from '../../../../test/fakes/chain-scene.ts';
import { isSameTime, toTimeMs } from './block-time.ts';

afterEach(endScene);

const START_MS = 1_700_000_000_000;

async function readTimes(
  milliseconds: { readonly headers: boolean; readonly logs: boolean },
  blockTimestamps = true,
) {
  const node = await startNode(recordChain({ blockMs: 200, blockTimestamps, milliseconds }));
  const adapter = createSceneAdapter([node]);
  const readings = [
    await adapter.readBlocks({ ...LINKED, fromBlock: 40 }),
    await adapter.readBlocks(LINKED),
    await adapter.readBlocks(ALL),
  ];
  const times = new Map<number, Set<number>>();
  for (const { blocks } of readings) {
    for (const { header } of blocks) {
      const known = times.get(header.position) ?? new Set();
      times.set(header.position, known.add(header.timestampMs));
    }
  }
  return [...times].sort(([a], [b]) => a - b);
}

describe('blocks of one second', () => {
  test('have their milliseconds where headers and logs do', async () => {
    for (const blockTimestamps of [true, false]) {
      for (const [position, times] of await readTimes(
        { headers: true, logs: blockTimestamps },
        blockTimestamps,
      )) {
        assert.deepEqual([...times], [START_MS + position * 200]);
      }
    }
  });

  test('have whole seconds where only some replies have more', async () => {
    for (const milliseconds of [
      { headers: true, logs: false },
      { headers: false, logs: false },
    ]) {
      for (const [position, times] of await readTimes(milliseconds)) {
        assert.deepEqual([...times], [START_MS + Math.floor(position / 5) * 1000]);
      }
    }
  });
});

test('milliseconds of another second are not believed', () => {
  assert.equal(toTimeMs(1_700_000_000, 1_700_000_000_800), 1_700_000_000_800);
  for (const ms of [null, Number.NaN, 800, 1_700_000_001_000, 1_699_999_999_999]) {
    assert.equal(toTimeMs(1_700_000_000, ms), 1_700_000_000_000);
  }
});

test('a time in seconds agrees with those of its second, and milliseconds with themselves', () => {
  assert.ok(isSameTime(5000, 5800));
  assert.ok(isSameTime(5800, 5000));
  assert.ok(isSameTime(5800, 5800));
  assert.ok(!isSameTime(5800, 5600));
  assert.ok(!isSameTime(5000, 6000));
});
