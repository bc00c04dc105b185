// Logs are returned in chain order, in whatever order a node sends them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLogs } from './parse-logs.ts';

const RANGE = { fromBlock: 1, toBlock: 9, endpoint: 'node' };

function toWord(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

function toLog(block: number, logIndex: number, more: Readonly<Record<string, unknown>> = {}) {
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

function toPositions(raw: readonly unknown[]): string[] {
  return parseLogs(raw, RANGE).map(({ block, logIndex }) => `${block}.${logIndex}`);
}

describe('parseLogs', () => {
  it('sorts by block, and by index within a block', () => {
    const raw = [toLog(2, 10), toLog(1, 3), toLog(2, 9), toLog(1, 2), toLog(2, 0)];
    assert.deepEqual(toPositions(raw), ['1.2', '1.3', '2.0', '2.9', '2.10']);
  });

  it('sorts logs of one block alone', () => {
    assert.deepEqual(toPositions([toLog(4, 2), toLog(4, 1), toLog(4, 0)]), ['4.0', '4.1', '4.2']);
  });

  it('each log keeps what is its own', () => {
    const raw = [toLog(2, 1, { data: '0x02' }), toLog(2, 0, { data: '0x01' })];
    const [first, second] = parseLogs(raw, RANGE);
    assert.deepEqual([first?.data, first?.txHash], ['0x01', toWord(200)]);
    assert.deepEqual([second?.data, second?.txHash], ['0x02', toWord(201)]);
    assert.equal(first?.timestampMs, 1_002_000);
  });

  const contradictions: readonly [string, readonly unknown[]][] = [
    ['told twice, apart from each other', [toLog(2, 1), toLog(2, 0), toLog(2, 1)]],
    ['of a block that was not asked for, above', [toLog(10, 0)]],
    ['of a block that was not asked for, below', [toLog(0, 0)]],
    ['of a block with two hashes', [toLog(2, 0), toLog(2, 1, { blockHash: toWord(3) })]],
    ['of a block with two times', [toLog(2, 0), toLog(2, 1, { blockTimestamp: '0x1' })]],
    ['that was removed', [toLog(2, 0, { removed: true })]],
    ['with five topics', [toLog(2, 0, { topics: [1, 2, 3, 4, 5].map(toWord) })]],
    ['with half a byte of data', [toLog(2, 0, { data: '0x1' })]],
  ];
  for (const [what, raw] of contradictions) {
    it(`refuses the whole reply for a log ${what}`, () => {
      assert.throws(() => parseLogs(raw, RANGE), { kind: 'invalidReply' });
    });
  }
});
