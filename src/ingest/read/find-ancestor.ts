// Finds the last common block of the store and the chain after a reorganisation.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import { ChainInconsistentError, FinalityError } from '../state/chain-errors.ts';

interface AncestorSearch {
  readonly adapter: ChainAdapter;
  readonly checkpoint: Checkpoint;
  /** The stored headers from the finalized block up, by position. */
  readonly stored: ReadonlyMap<number, BlockHeader>;
  readonly signal: AbortSignal;
}

/**
 * Walks the chain's branch down from our height, from parent to parent. Every header must link to
 * the next, and with several endpoints a majority must agree; otherwise this throws and the caller
 * retries later. Never goes below the finalized block.
 */
export async function findAncestor(search: AncestorSearch): Promise<BlockHeader> {
  const { adapter, checkpoint, signal } = search;
  let above: BlockHeader | null = null;
  let position = checkpoint.block;
  while (position >= checkpoint.finalizedBlock) {
    const header: BlockHeader | null = await (adapter.readAgreedHeader?.(position, signal) ??
      adapter.readHeader(position, signal));
    if (header === null) {
      throw new ChainInconsistentError(`block ${position} of another branch cannot be confirmed`);
    }
    if (above !== null && above.parentHash !== header.hash) {
      throw new ChainInconsistentError(`block ${above.position} of another branch does not link`);
    }
    if (search.stored.get(header.position)?.hash === header.hash) {
      if (header.position < checkpoint.block) return header;
      throw new ChainInconsistentError(`block ${position} left our branch and came back`);
    }
    above = header;
    position = header.parentPosition;
  }
  throw new FinalityError(
    `the chain's source no longer has block ${checkpoint.finalizedBlock}, which was final`,
  );
}
