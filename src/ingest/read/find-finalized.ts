// Finality advances only if our branch has the block that the chain reports as final.

import type { ChainAdapter, ChainHead } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';

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
