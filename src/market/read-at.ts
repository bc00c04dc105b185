// Several reads as of one commit.

import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { MarketReads } from '../store/market-reads.ts';
import type { MarketReader, MarketStore } from '../store/store.ts';
import type { StreamReads } from '../store/stream-reads.ts';

export type AnswerReader = MarketReader & MarketReads & StreamReads;

interface ReadAt<T> {
  readonly value: T;
  /** The commit that the value reflects; null while the chain has none. */
  readonly checkpoint: Checkpoint | null;
}

/** Commits are far too rare to interrupt more attempts than this. */
const ATTEMPTS = 3;

/**
 * Reads again if there was a commit in between. That is cheaper than a snapshot, which is the
 * fallback if commits keep coming.
 */
export async function readAt<T>(
  store: MarketStore,
  chain: ChainSlug,
  work: (reader: AnswerReader, checkpoint: Checkpoint | null) => Promise<T>,
): Promise<ReadAt<T>> {
  let checkpoint = await store.readCheckpoint(chain);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const value = await work(store, checkpoint);
    const after = await store.readCheckpoint(chain);
    if (after?.version === checkpoint?.version) return { value, checkpoint };
    checkpoint = after;
  }
  return store.snapshot(async (reader) => {
    const at = await reader.readCheckpoint(chain);
    return { value: await work(reader, at), checkpoint: at };
  });
}
