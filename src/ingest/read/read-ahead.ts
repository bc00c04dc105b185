// Reads a long range in pieces, the next one while the previous one is applied.

import type { BlockRange, BlockRangeReading, ChainAdapter } from '../../chains/adapter.ts';
import type { BlockEvents } from '../../model/block-events.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';
import { checkReading } from './check-reading.ts';

export interface ReadSizes {
  /** Blocks per request. */
  readonly blockCountMax: number;
  /** Events after which a piece ends; with one piece ahead this bounds memory. */
  readonly eventCountMax: number;
}

export interface RangePiece {
  readonly fromBlock: number;
  readonly reading: BlockRangeReading;
  /** The header of the last block, which may have no events. */
  readonly last: BlockHeader;
}

/** Which part of a chain is read; it may grow by what was read. */
interface ReadScope {
  describeRange(): Pick<BlockRange, 'only' | 'describesPools'>;
  noteRead(blocks: readonly BlockEvents[]): void;
}

interface RangeToRead {
  readonly adapter: ChainAdapter;
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly sizes: ReadSizes;
  /** Asked before each piece; after the first, no other is begun if it is true. */
  readonly isOver?: () => boolean;
  /** What to read of it; all by default. */
  readonly scope?: ReadScope | null | undefined;
  readonly audited?: BlockRange['audited'];
  readonly signal: AbortSignal;
}

async function readPiece(
  range: RangeToRead,
  fromBlock: number,
  signal: AbortSignal,
): Promise<RangePiece> {
  const wanted = { fromBlock, toBlock: range.toBlock, linked: false };
  const { sizes, scope, audited } = range;
  const asked = { ...wanted, ...sizes, ...scope?.describeRange(), audited };
  const reading = await range.adapter.readBlocks(asked, signal);
  scope?.noteRead(reading.blocks);
  checkReading(reading, wanted);
  const last = reading.last ?? (await range.adapter.readHeader(reading.toBlock, signal));
  if (last === null || last.position < (reading.blocks.at(-1)?.header.position ?? fromBlock)) {
    throw new ChainInconsistentError(`block ${reading.toBlock} is gone`);
  }
  return { fromBlock, reading, last };
}

/**
 * For finalized blocks only: the links between pieces are not checked. A range must end at an
 * existing block, so that each piece has at least one.
 */
export async function* readAhead(range: RangeToRead): AsyncGenerator<RangePiece> {
  const abort = new AbortController();
  const signal = AbortSignal.any([range.signal, abort.signal]);
  const read = (fromBlock: number): Promise<RangePiece> => {
    const piece = readPiece(range, fromBlock, signal);
    // Nobody may be waiting yet when it fails; a later await still gets the error.
    piece.catch(() => undefined);
    return piece;
  };
  try {
    let next: Promise<RangePiece> | null =
      range.fromBlock <= range.toBlock ? read(range.fromBlock) : null;
    while (next !== null) {
      const piece: RangePiece = await next;
      const { toBlock } = piece.reading;
      next = toBlock < range.toBlock && range.isOver?.() !== true ? read(toBlock + 1) : null;
      yield piece;
    }
  } finally {
    abort.abort();
  }
}
