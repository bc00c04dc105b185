// Commits as they are kept for other processes on the same store.

import type { ChainSlug } from '../model/chain.ts';
import type { TradeRecord } from '../model/market-record.ts';

/** A commit, serialized by the caller. */
export interface FeedRow {
  readonly epoch: string;
  readonly version: number;
  readonly body: string;
}

export interface FeedStore {
  /**
   * The bodies of commits after a version, in order, of the epoch that the chain has now; from the
   * first one kept if that is another epoch than the given one. Null stands for any. A page ends
   * where it has so many commits or bytes.
   */
  readBatches(
    chain: ChainSlug,
    after: { readonly epoch: string | null; readonly version: number },
    page: { readonly countMax: number; readonly bytesMax: number },
  ): Promise<string[]>;
  /**
   * The stored trades of blocks, both ends included, in chain order. Absent if every body has its
   * trades.
   */
  readTrades?(
    chain: ChainSlug,
    blocks: { readonly fromBlock: number; readonly toBlock: number },
  ): Promise<TradeRecord[]>;
  /**
   * Calls back for every commit from now on; while the connection is lost there are none. The
   * returned function ends it.
   */
  listen(
    onNews: (news: {
      readonly chain: ChainSlug;
      readonly version: number;
      readonly origin: string;
    }) => void,
  ): () => Promise<void>;
}
