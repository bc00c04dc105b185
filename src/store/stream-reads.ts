// What a stream needs from a store to resume: new trades, and what was removed.

import type { ChainSlug } from '../model/chain.ts';
import type { Address, TransactionId } from '../model/ids.ts';
import type { TradeRecord } from '../model/market-record.ts';
import type { NewsPosition, NewsRecord } from '../model/news.ts';
import type { TradePosition } from './market-reads.ts';

/** One build of a chain's index: another one has its own versions. */
export interface EpochName {
  /** Random, created with the first commit, or when another server has taken over. */
  readonly epoch: string;
  /** The server that it began on, as `MarketStore.readServer` names it. */
  readonly server: string | null;
}

export interface ChainEpoch extends EpochName {
  /** Rollbacks up to this version were deleted. */
  readonly forgottenVersion: number;
  /** News of commits up to this version were deleted. */
  readonly newsForgottenVersion: number;
}

/** One rollback: every block above `block`, up to `tipBlock`, was removed. */
export interface RollbackRecord {
  /** The version of the rollback. */
  readonly version: number;
  readonly block: number;
  readonly timestampMs: number;
  readonly tipBlock: number;
  readonly tipTimestampMs: number;
  /** By the indexer's own clock. */
  readonly recordedAtMs: number;
}

export interface TradesAfter {
  readonly after: Pick<TradePosition, 'block' | 'logIndex'>;
  /** None of them is older than this; it only narrows the search. */
  readonly sinceMs: number;
  readonly limit: number;
}

/** A removed trade. */
export interface RevertedTrade extends Omit<TradePosition, 'token'> {
  /** The rollback that removed it. */
  readonly version: number;
  readonly txHash: TransactionId;
  readonly index: number;
}

export interface StreamReads {
  /** Null before the first commit. */
  readEpoch(chain: ChainSlug): Promise<ChainEpoch | null>;
  /** Rollbacks above a version, in order, at most `limit`. */
  readRollbacks(
    chain: ChainSlug,
    wanted: { readonly afterVersion: number; readonly limit: number },
  ): Promise<RollbackRecord[]>;
  /** A token's trades removed by rollbacks above a version: by rollback, then in chain order. */
  readRevertedTrades(
    chain: ChainSlug,
    token: Address,
    wanted: { readonly afterVersion: number; readonly limit: number },
  ): Promise<RevertedTrade[]>;
  /** A token's trades after a log of a block, in chain order. */
  readTradesAfter(chain: ChainSlug, token: Address, wanted: TradesAfter): Promise<TradeRecord[]>;
  /** The number of those; counts no further than `limit`. */
  countTradesAfter(chain: ChainSlug, token: Address, wanted: TradesAfter): Promise<number>;
  /** News after a position that no rollback has removed, in order. */
  readNewsAfter(
    chain: ChainSlug,
    wanted: { readonly after: NewsPosition; readonly limit: number },
  ): Promise<NewsRecord[]>;
  /** The number of those; counts no further than `limit`. */
  countNewsAfter(
    chain: ChainSlug,
    wanted: { readonly after: NewsPosition; readonly limit: number },
  ): Promise<number>;
  /** News up to a position that rollbacks above a version have removed, in order. */
  readRevertedNews(
    chain: ChainSlug,
    wanted: { readonly upTo: NewsPosition; readonly afterVersion: number; readonly limit: number },
  ): Promise<NewsRecord[]>;
}
