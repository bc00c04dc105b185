// One place that blocks of the past are read from.

import type { ArchivedBlock } from './archived-block.ts';

export interface ArchiveRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

export interface ArchiveSource {
  /** Without what may be secret: safe to show. */
  readonly name: string;
  /**
   * Blocks from `fromBlock` on, ascending and without gaps. It may end before `toBlock`, and have
   * none at all. Throws an `ArchiveError`, or `MalformedBlock`.
   */
  read(range: ArchiveRange, signal: AbortSignal): AsyncIterable<ArchivedBlock>;
  close(): void;
}
