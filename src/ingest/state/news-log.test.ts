// Pins what counts as news of a block.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { NewsLog } from './news-log.ts';

function begin(log: NewsLog, position: number): void {
  log.beginBlock({ position, timestampMs: position * 1000 } as BlockHeader);
}

function buildCurve(fields: { createdAtMs: number; isComplete: boolean | null; stage?: string }) {
  const { createdAtMs, isComplete, stage = 'curve' } = fields;
  const pool = poolId('0xc0');
  return { pool, kind: 'pump', createdAtMs, terms: { stage }, state: { isComplete } } as PoolRecord;
}

function complete(row: PoolRecord, isComplete: boolean): void {
  Object.assign(row, { state: { isComplete } });
}

const list = (log: NewsLog) => log.take().map(({ kind, block }) => `${kind} ${block}`);

test('a launch is told once, and its end in the block that completes it', () => {
  const log = new NewsLog();
  begin(log, 1);
  log.addToken({ token: address('0x01') } as TokenRecord);
  const curve = buildCurve({ createdAtMs: 1000, isComplete: null });
  log.addPool(curve);
  complete(curve, false);
  begin(log, 2);
  log.watch(curve);
  complete(curve, true);
  log.watch(curve);
  begin(log, 3);
  log.watch(curve);
  assert.deepEqual(list(log), ['token 1', 'pool 1', 'launch 1', 'graduation 2']);
  begin(log, 4);
  log.watch(curve);
  assert.deepEqual(list(log), []);
});

test('a launch that ends in its first block is told whole', () => {
  const log = new NewsLog();
  begin(log, 1);
  const curve = buildCurve({ createdAtMs: 1000, isComplete: null });
  log.addPool(curve);
  complete(curve, true);
  assert.deepEqual(list(log), ['pool 1', 'launch 1', 'graduation 1']);
});

test('nothing is made up of curves that are older than the index, nor of other pools', () => {
  const log = new NewsLog();
  begin(log, 1);
  const old = buildCurve({ createdAtMs: 0, isComplete: null });
  log.addPool(old);
  complete(old, true);
  const swap = buildCurve({ createdAtMs: 1000, isComplete: false, stage: 'amm' });
  log.addPool(swap);
  complete(swap, true);
  assert.deepEqual(list(log), ['pool 1', 'pool 1']);
});
