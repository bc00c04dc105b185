// Logs are returned in chain order, in whatever order a node sends them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLogs } from './parse-logs.ts';

const RANGE = { fromBlock: 1, toBlock: 9, endpoint: 'node' };

function toWord(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

function buildLog(block: number, logIndex: number, more: Readonly<Record<string, unknown>> = {}) {
  return {
    address: `0x${'ab'.repeat(20)}`,
    topics: [toWord(7)],
    data: '0x',
    blockNumber: `0x${block.toString(16)}`,
    blockHash: toWord(block),
    transactionHash: toWord(100 * block + logIndex),
    logIndex: `0x${logIndex.toString(16)}`,
    blockTimestamp: `0x${(1000 + block).toString(16)}`,
    ...more,
  };
}

function parsePositions(raw: readonly unknown[]): string[] {
  return parseLogs(raw, RANGE).map(({ block, logIndex }) => `${block}.${logIndex}`);
}

describe('parseLogs', () => {
  it('sorts by block, and by index within a block', () => {
    const raw = [buildLog(2, 10), buildLog(1, 3), buildLog(2, 9), buildLog(1, 2), buildLog(2, 0)];
    assert.deepEqual(parsePositions(raw), ['1.2', '1.3', '2.0', '2.9', '2.10']);
  });

  it('sorts logs of one block alone', () => {
    assert.deepEqual(parsePositions([buildLog(4, 2), buildLog(4, 1), buildLog(4, 0)]), [
      '4.0',
      '4.1',
      '4.2',
    ]);
  });

  it('each log keeps its own fields', () => {
    const raw = [buildLog(2, 1, { data: '0x02' }), buildLog(2, 0, { data: '0x01' })];
    const [first, second] = parseLogs(raw, RANGE);
    assert.deepEqual([first?.data, first?.txHash], ['0x01', toWord(200)]);
    assert.deepEqual([second?.data, second?.txHash], ['0x02', toWord(201)]);
    assert.equal(first?.timestampMs, 1_002_000);
  });

  const contradictions: readonly [string, readonly unknown[]][] = [
    ['repeated, not adjacent', [buildLog(2, 1), buildLog(2, 0), buildLog(2, 1)]],
    ['of a block that was not asked for, above', [buildLog(10, 0)]],
    ['of a block that was not asked for, below', [buildLog(0, 0)]],
    ['of a block with two hashes', [buildLog(2, 0), buildLog(2, 1, { blockHash: toWord(3) })]],
    ['of a block with two times', [buildLog(2, 0), buildLog(2, 1, { blockTimestamp: '0x1' })]],
    ['that was removed', [buildLog(2, 0, { removed: true })]],
    ['with five topics', [buildLog(2, 0, { topics: [1, 2, 3, 4, 5].map(toWord) })]],
    ['with half a byte of data', [buildLog(2, 0, { data: '0x1' })]],
  ];
  for (const [what, raw] of contradictions) {
    it(`refuses the whole reply for a log ${what}`, () => {
      assert.throws(() => parseLogs(raw, RANGE), { kind: 'invalidReply' });
    });
  }
});
