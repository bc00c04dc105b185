// Rejects a reading of blocks that contradicts itself, before anything is derived from it.

import type { BlockRangeReading } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';

type CheckedReading = Pick<BlockRangeReading, 'blocks' | 'headers' | 'toBlock'>;

interface ExpectedReading {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly linked: boolean;
}

function assertOrder(reading: CheckedReading, fromBlock: number): void {
  let previous = fromBlock - 1;
  for (const { header } of reading.blocks) {
    if (header.position <= previous || header.position > reading.toBlock) {
      throw new ChainInconsistentError(`block ${header.position} is out of order`);
    }
    previous = header.position;
  }
}

/** Whether `header` is the first block at or after a position, judged by its parent. */
function isFirstFrom(header: BlockHeader, fromBlock: number): boolean {
  return header.parentPosition < fromBlock && fromBlock <= header.position;
}

/**
 * Each header must name the previous one as its parent, by position and by hash, so none is missing
 * in between. A reading that ends early is harmless, since the next one begins after its last
 * header.
 */
function assertLinks(reading: CheckedReading, fromBlock: number): void {
  const byPosition = new Map<number, BlockHeader>();
  let previous: BlockHeader | null = null;
  for (const header of reading.headers) {
    const { position, parentPosition } = header;
    const inPlace =
      previous === null
        ? isFirstFrom(header, fromBlock)
        : parentPosition === previous.position && parentPosition < position;
    if (!inPlace || position > reading.toBlock) {
      throw new ChainInconsistentError(`the header of block ${position} is out of order`);
    }
    if (previous !== null && header.parentHash !== previous.hash) {
      throw new ChainInconsistentError(`block ${position} does not link to the previous one`);
    }
    byPosition.set(position, header);
    previous = header;
  }
  for (const { header } of reading.blocks) {
    if (byPosition.get(header.position)?.hash !== header.hash) {
      throw new ChainInconsistentError(`block ${header.position} changed while it was read`);
    }
  }
}

/** Throws `ChainInconsistentError` unless the reading covers its range in order. */
export function checkReading(reading: CheckedReading, expected: ExpectedReading): void {
  if (reading.toBlock < expected.fromBlock || reading.toBlock > expected.toBlock) {
    throw new ChainInconsistentError(`the reading stopped at block ${reading.toBlock}`);
  }
  assertOrder(reading, expected.fromBlock);
  if (expected.linked) assertLinks(reading, expected.fromBlock);
}
