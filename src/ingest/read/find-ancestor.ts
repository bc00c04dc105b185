// Finds the last common block of the store and the chain after a reorganisation.

import type { ChainAdapter, ChainHead } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import { ChainInconsistentError, FinalityError } from '../state/chain-errors.ts';

// The block before the first one that is indexed.

export async function readBase(
  adapter: ChainAdapter,
  position: number,
  signal: AbortSignal,
): Promise<BlockHeader> {
  const header = await adapter.readHeader(position, signal);
  if (header === null) throw new Error(`the chain has no block ${position} to start after`);
  return header;
}

// Finality advances only if our branch has the block that the chain reports as final.

interface FinalizedSearch {
  readonly adapter: Pick<ChainAdapter, 'readHeader'>;
  readonly head: ChainHead;
  /** What is indexed: the last block, and the headers from the finalized block up. */
  readonly index: {
    readonly checkpoint: Pick<Checkpoint, 'finalizedBlock'> | null;
    readonly headers: ReadonlyMap<number, BlockHeader>;
    readonly block: number;
  };
  /** Headers that are about to be indexed. */
  readonly added: readonly BlockHeader[];
  readonly signal: AbortSignal;
}

/** The position of the block that is now final for us, too; later, if we do not have it yet. */
export async function findFinalized(search: FinalizedSearch): Promise<number> {
  const { adapter, head, index, added, signal } = search;
  const current = index.checkpoint?.finalizedBlock ?? index.block;
  const { finalizedBlock, finalizedHash } = head;
  if (finalizedBlock <= current) return current;
  const last = added.at(-1)?.position ?? index.block;
  if (last < finalizedBlock) return current;
  const ours =
    index.headers.get(finalizedBlock) ?? added.find(({ position }) => position === finalizedBlock);
  const theirs = finalizedHash ?? (await adapter.readHeader(finalizedBlock, signal))?.hash;
  if (theirs === undefined || ours?.hash !== theirs) {
    throw new ChainInconsistentError(`block ${finalizedBlock} is final, but differs from ours`);
  }
  return finalizedBlock;
}

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
