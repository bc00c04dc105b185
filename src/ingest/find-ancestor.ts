// The last block that the store and the chain have in common, when the chain has left our branch.

import type { ChainAdapter } from '../chains/adapter.ts';
import type { BlockHeader } from '../model/market-event.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { ChainInconsistentError, FinalityError } from './chain-errors.ts';

export interface AncestorSearch {
  readonly adapter: ChainAdapter;
  readonly checkpoint: Checkpoint;
  /** The stored headers above the finalized block, and that of the finalized block, by number. */
  readonly stored: ReadonlyMap<number, BlockHeader>;
  readonly signal: AbortSignal;
}

/**
 * Walks the chain's branch down from our height. Every header must link to the next, and where
 * there are several endpoints most of them must agree: otherwise nothing is believed, and the
 * caller asks again later. Never goes below the finalized block.
 */
export async function findAncestor(search: AncestorSearch): Promise<BlockHeader> {
  const { adapter, checkpoint, signal } = search;
  let above: BlockHeader | null = null;
  for (let number = checkpoint.block; number >= checkpoint.finalizedBlock; number -= 1) {
    const header = await (adapter.readAgreedHeader?.(number, signal) ??
      adapter.readHeader(number, signal));
    if (header === null) {
      throw new ChainInconsistentError(`block ${number} of another branch cannot be confirmed`);
    }
    if (above !== null && above.parentHash !== header.hash) {
      throw new ChainInconsistentError(`block ${above.number} of another branch does not link`);
    }
    if (search.stored.get(number)?.hash === header.hash) {
      if (above !== null) return header;
      throw new ChainInconsistentError(`block ${number} left our branch and came back`);
    }
    above = header;
  }
  throw new FinalityError(
    `the chain's source denies block ${checkpoint.finalizedBlock}, which was final`,
  );
}
