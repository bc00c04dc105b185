// Long ranges are read one piece ahead and no further, and invalid readings are rejected.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeAdapter, FakeChain } from '../../../test/fakes/fake-chain.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';
import { checkReading } from './check-reading.ts';
import { type RangePiece, readAhead } from './read-ahead.ts';

function createChain(): { chain: FakeChain; adapter: FakeAdapter } {
  const chain = new FakeChain({ seed: 21, finalityDepth: 0 });
  chain.extend(60);
  return { chain, adapter: new FakeAdapter(chain) };
}

function read(adapter: FakeAdapter, sizes = { blockCountMax: 10, eventCountMax: 1000 }) {
  const { signal } = new AbortController();
  return readAhead({ adapter, fromBlock: 3, toBlock: 60, sizes, signal });
}

describe('readAhead', () => {
  it('covers the range without gap or overlap, however it is cut', async () => {
    const { chain, adapter } = createChain();
    for (const sizes of [
      { blockCountMax: 10, eventCountMax: 1000 },
      { blockCountMax: 100, eventCountMax: 7 },
      { blockCountMax: 1, eventCountMax: 1 },
    ]) {
      const pieces: RangePiece[] = [];
      for await (const piece of read(adapter, sizes)) pieces.push(piece);
      let next = 3;
      for (const { fromBlock, reading, last } of pieces) {
        assert.equal(fromBlock, next);
        assert.deepEqual(last, chain.header(reading.toBlock));
        next = reading.toBlock + 1;
      }
      assert.equal(next, 61);
      assert.deepEqual(
        pieces.flatMap(({ reading }) => reading.blocks),
        chain.blocks(3, 60).filter(({ events }) => events.length > 0),
      );
    }
  });

  it('reads one piece while another is applied, and not more', async () => {
    const { adapter } = createChain();
    let requests = 0;
    adapter.faults.beforeRequest = (method) => {
      if (method === 'readBlocks') requests += 1;
    };
    const pieces = read(adapter);
    await pieces.next();
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    assert.equal(requests, 2);
    await pieces.return(undefined);
  });

  it('fails at the failed piece, even if nothing was waiting for it', async () => {
    const { adapter } = createChain();
    const pieces = read(adapter);
    await pieces.next();
    await setImmediate();
    adapter.faults.beforeRequest = () => {
      throw new Error('cut off');
    };
    // The piece ahead was read before the failure; the one after it was not.
    await pieces.next();
    await setImmediate();
    await assert.rejects(pieces.next(), /cut off/);
  });
});

describe('checkReading', () => {
  const header = (position: number, fields: Partial<BlockHeader> = {}): BlockHeader => ({
    position,
    hash: `0x${position}`,
    parentPosition: position - 1,
    parentHash: `0x${position - 1}`,
    timestampMs: 1000 * position,
    ...fields,
  });
  const expected = { fromBlock: 5, toBlock: 7, linked: true };
  const block = (at: BlockHeader) => ({ header: at, events: [] });
  const headers = [header(5), header(6), header(7)];

  it('takes a reading that fits', () => {
    checkReading({ blocks: [block(header(6))], headers, toBlock: 7 }, expected);
    checkReading({ blocks: [], headers: headers.slice(0, 2), toBlock: 6 }, expected);
  });

  it('takes positions without a block, at the start, in the middle and at the end', () => {
    const six = header(6, { parentPosition: 3, parentHash: '0x3' });
    checkReading({ blocks: [block(six)], headers: [six], toBlock: 7 }, expected);
    const seven = header(7, { parentPosition: 5, parentHash: '0x5' });
    checkReading({ blocks: [], headers: [header(5), seven], toBlock: 7 }, expected);
    checkReading({ blocks: [], headers: [], toBlock: 7 }, expected);
  });

  for (const [name, reading] of [
    ['ends beyond what was asked', { blocks: [], headers, toBlock: 8 }],
    ['ends before it begins', { blocks: [], headers: [], toBlock: 4 }],
    [
      'has blocks out of order',
      { blocks: [block(header(6)), block(header(5))], headers, toBlock: 7 },
    ],
    ['has a block twice', { blocks: [block(header(6)), block(header(6))], headers, toBlock: 7 }],
    ['lacks a header', { blocks: [], headers: [header(5), header(7)], toBlock: 7 }],
    ['lacks the first header', { blocks: [], headers: headers.slice(1), toBlock: 7 }],
    [
      'has a block beyond its last header',
      { blocks: [block(header(7))], headers: headers.slice(0, 2), toBlock: 7 },
    ],
    ['has a header beyond its end', { blocks: [], headers, toBlock: 6 }],
    [
      'has a header above its child',
      { blocks: [], headers: [header(6, { parentPosition: 3 }), header(5)], toBlock: 7 },
    ],
    [
      'has headers that do not link',
      {
        blocks: [],
        headers: [header(5), header(6, { parentHash: '0xother' }), header(7)],
        toBlock: 7,
      },
    ],
    [
      'has a block of another branch than its header',
      { blocks: [block(header(6, { hash: '0xother' }))], headers, toBlock: 7 },
    ],
  ] as const) {
    it(`refuses a reading that ${name}`, () => {
      assert.throws(() => checkReading(reading, expected), ChainInconsistentError);
    });
  }
});
