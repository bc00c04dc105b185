// Several reads as of one commit.

import { buildNotReadyError } from '../contract/parse-reference.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { MarketReads } from '../store/market-reads.ts';
import type { MarketReader, MarketStore } from '../store/store.ts';
import type { StreamReads } from '../store/stream-reads.ts';
import { BoardPassedError } from './board/board-passed.ts';

export type AnswerReader = MarketReader & MarketReads & StreamReads;

interface ReadAt<T> {
  readonly value: T;
  /** The commit that the value reflects; null while the chain has none. */
  readonly checkpoint: Checkpoint | null;
}

/** Commits are far too rare to interrupt more attempts than this. */
const ATTEMPTS = 3;
/** The board may already be past a snapshot. */
const SNAPSHOTS_MAX = 20;

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
    const done = await tryWork(() => work(store, checkpoint));
    const after = await store.readCheckpoint(chain);
    if (done !== null && after?.version === checkpoint?.version) {
      return { value: done.value, checkpoint };
    }
    checkpoint = after;
  }
  for (let attempt = 1; ; attempt += 1) {
    const read = await store.snapshot(async (reader) => {
      const at = await reader.readCheckpoint(chain);
      const done = await tryWork(() => work(reader, at));
      return done === null ? null : { value: done.value, checkpoint: at };
    });
    if (read !== null) return read;
    if (attempt === SNAPSHOTS_MAX) throw buildNotReadyError(chain);
  }
}

/** Null if the board is past the commit. */
async function tryWork<T>(work: () => Promise<T>): Promise<{ readonly value: T } | null> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof BoardPassedError) return null;
    throw error;
  }
}
