// What a stream needs of a store to go on after an absence: what came, and what was taken back.

import type { ChainSlug } from '../model/chain.ts';
import type { Address, TransactionId } from '../model/ids.ts';
import type { TradeRecord } from '../model/market-record.ts';
import type { TradePosition } from './market-reads.ts';

/** Which index of a chain this is; another one counts its versions anew. */
export interface ChainEpoch {
  /** Random, given with the first commit. */
  readonly epoch: string;
  /** Rollbacks up to this version are forgotten. */
  readonly forgottenVersion: number;
}

/** One rollback: every block above `block`, up to `tipBlock`, was taken back. */
export interface RollbackRecord {
  /** The version that the rollback made. */
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
  /** None of them is older than this; it only saves looking at what came before. */
  readonly sinceMs: number;
  readonly limit: number;
}

/** A trade that is no more. */
export interface RevertedTrade extends TradePosition {
  /** The rollback that took it back. */
  readonly version: number;
  readonly txHash: TransactionId;
  readonly index: number;
}

export interface StreamReads {
  /** Null before the first commit. */
  readEpoch(chain: ChainSlug): Promise<ChainEpoch | null>;
  /** Rollbacks above a version, in their order, at most `limit`. */
  readRollbacks(
    chain: ChainSlug,
    wanted: { readonly afterVersion: number; readonly limit: number },
  ): Promise<RollbackRecord[]>;
  /** A token's trades that rollbacks above a version took back: by rollback, then chain order. */
  readRevertedTrades(
    chain: ChainSlug,
    token: Address,
    wanted: { readonly afterVersion: number; readonly limit: number },
  ): Promise<RevertedTrade[]>;
  /** A token's trades after a log of a block, in chain order. */
  readTradesAfter(chain: ChainSlug, token: Address, wanted: TradesAfter): Promise<TradeRecord[]>;
  /** How many of those there are; counts no further than `limit`. */
  countTradesAfter(chain: ChainSlug, token: Address, wanted: TradesAfter): Promise<number>;
}
