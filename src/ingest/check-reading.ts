// Refuses a reading that does not fit together, before anything is made of it.

import type { BlockRangeReading } from '../chains/adapter.ts';
import type { BlockHeader } from '../model/market-event.ts';
import { ChainInconsistentError } from './chain-errors.ts';

interface ExpectedReading {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly linked: boolean;
}

function assertOrder(reading: BlockRangeReading, expected: ExpectedReading): void {
  let number = expected.fromBlock - 1;
  for (const { header } of reading.blocks) {
    if (header.number <= number || header.number > reading.toBlock) {
      throw new ChainInconsistentError(`block ${header.number} came out of order`);
    }
    ({ number } = header);
  }
}

function assertLinks(reading: BlockRangeReading, fromBlock: number): void {
  const byNumber = new Map<number, BlockHeader>();
  let previous: BlockHeader | null = null;
  for (const header of reading.headers) {
    if (header.number !== (previous === null ? fromBlock : previous.number + 1)) {
      throw new ChainInconsistentError(`the header of block ${header.number} is out of place`);
    }
    if (previous !== null && header.parentHash !== previous.hash) {
      throw new ChainInconsistentError(`block ${header.number} does not link to the one before`);
    }
    byNumber.set(header.number, header);
    previous = header;
  }
  if (previous?.number !== reading.toBlock) {
    throw new ChainInconsistentError(`the headers end before block ${reading.toBlock}`);
  }
  for (const { header } of reading.blocks) {
    if (byNumber.get(header.number)?.hash !== header.hash) {
      throw new ChainInconsistentError(`block ${header.number} changed while it was read`);
    }
  }
}

/** Throws `ChainInconsistentError` unless the reading covers its range in order. */
export function checkReading(reading: BlockRangeReading, expected: ExpectedReading): void {
  if (reading.toBlock < expected.fromBlock || reading.toBlock > expected.toBlock) {
    throw new ChainInconsistentError(`a reading ended at block ${reading.toBlock}`);
  }
  assertOrder(reading, expected);
  if (expected.linked) assertLinks(reading, expected.fromBlock);
}
