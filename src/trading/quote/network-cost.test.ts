// What a swap costs at most, with what rollups charge for its data.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataFees } from '../../chains/chain-nodes.ts';
import { computeNetworkCost } from './network-cost.ts';

const SIZE = { costUnits: 100_000n, dataBytes: 400 };
const SAMPLES = { short: { bytes: 400, charged: 5000n }, long: { bytes: 4000, charged: 41_000n } };

function computeCost(data: DataFees, dataBytes = SIZE.dataBytes) {
  return computeNetworkCost({ ...SIZE, dataBytes }, { perUnit: 2n, perUnitMax: 3n, data });
}

test('a chain without data fees charges for units alone', () => {
  const expected = { units: 100_000n, dataFeeRaw: 0n, totalRaw: 300_000n };
  assert.deepEqual(computeCost({ kind: 'none' }), expected);
});

test('OP chains charge a fee beside the units, by the length of the transaction', () => {
  for (const [bytes, dataFeeRaw] of [
    [400, 5000n],
    [2200, 23_000n],
    [4000, 41_000n],
    [5000, 51_000n],
  ] as const) {
    const cost = computeCost({ kind: 'coin', ...SAMPLES }, bytes);
    assert.deepEqual(cost, { units: 100_000n, dataFeeRaw, totalRaw: 300_000n + dataFeeRaw });
  }
});

test('Arbitrum charges further units', () => {
  const expected = { units: 123_000n, dataFeeRaw: 0n, totalRaw: 369_000n };
  assert.deepEqual(computeCost({ kind: 'units', ...SAMPLES }, 2200), expected);
});

test('nothing is charged below zero, however short the transaction is', () => {
  const short = { bytes: 400, charged: 1n };
  const cost = computeCost({ kind: 'coin', short, long: SAMPLES.long }, 40);
  assert.equal(cost?.dataFeeRaw, 0n);
});

test('the cost is unknown while a part of it is', () => {
  assert.equal(computeCost({ kind: 'unknown' }), null);
  assert.equal(computeNetworkCost(SIZE, null), null);
});

test('a chain with flat fees charges parts of a coin for units, a base fee and rent', () => {
  const flat = { unitsPerPrice: 1_000_000n, baseRaw: 5000n, accountRaw: 2_000_000n };
  const fees = { perUnit: 1n, perUnitMax: 30_001n, data: { kind: 'none' }, flat } as const;
  const size = { costUnits: 170_000n, dataBytes: 700, accountCount: 2 };
  assert.deepEqual(computeNetworkCost(size, fees), {
    ...{ units: 170_000n, dataFeeRaw: 0n, totalRaw: 4_010_101n },
    parts: { unitsRaw: 5101n, baseRaw: 5000n, accountsRaw: 4_000_000n },
  });
});
