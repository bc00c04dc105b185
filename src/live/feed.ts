// The feed of commits: every listener that depends on the committed state gets each commit in
// order.
//
// One indexer publishes a chain's commits; a subscriber gets each of them once, in the order of
// their versions. If some were lost for good (a process was cut off for too long), the subscriber
// gets `onGap` before the next one, and reads the store again. Versions count within an epoch: a
// chain whose index was deleted and begun again has a new one.

import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../model/market-record.ts';
import type { TokenNotice } from '../model/token-notice.ts';

/** One commit or rollback. */
export interface FeedBatch {
  readonly chain: ChainSlug;
  readonly epoch: string;
  readonly version: number;
  /** The blocks that were added; none if `fromBlock` is above `toBlock`. */
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly checkpoint: Checkpoint;
  /** Whether blocks above `toBlock` were removed. */
  readonly isRollback: boolean;
  /** Tokens with any changed row: the token itself, balances, trades, candles, its pools. */
  readonly tokens: readonly Address[];
  readonly pools: readonly PoolId[];
  /** Of the tokens, those that are new or whose pools changed. */
  readonly listed: readonly Address[];
  /** False if rows that are not listed may have changed, too. */
  readonly complete: boolean;
  /** The token whose history was filled in further; its old trades are not among those below. */
  readonly backfilled?: Address;
  /** Events that may have changed tokens; null if the blocks were not searched for them. */
  readonly notices: readonly TokenNotice[] | null;
  /** The new trades, in chain order; decoded on first use, since few listeners need them. */
  readTrades(): readonly TradeRecord[];
  /**
   * Decodes a few more of the new trades; false if there is at most one part left, which
   * `readTrades` decodes. A large batch would otherwise hold up the requests of its process.
   */
  decodeSome(): boolean;
  /** The trades that a rollback removed. */
  readReverted(): readonly TradeRecord[];
}

export interface FeedListener {
  onBatch(batch: FeedBatch): void;
  /** Batches of this chain were missed; the listener must read the store again. */
  onGap(chain: ChainSlug): void;
}

export interface Feed {
  publish(batch: FeedBatch): void;
  /**
   * Delivers the commits of other processes that were not delivered yet, as far as they are kept.
   * `afterVersion` is where a chain begins that has had none.
   */
  catchUp(chain: ChainSlug, afterVersion: number): Promise<void>;
  /** Receives everything published from now on; the returned function unsubscribes. */
  subscribe(listener: FeedListener): () => void;
  close(): Promise<void>;
}
