// The committed feed: what every part that lives on the committed state hears, in order.
//
// One indexer publishes a chain's commits; whoever subscribes hears each of them once, in the order
// of their versions. Where some were lost on the way (a process restarted, a stream was cut), the
// subscriber is told so before it hears the next one, and reads the store again.

import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../model/market-record.ts';
import type { TokenNotice } from '../model/token-notice.ts';

/** One commit or rollback. */
export interface FeedBatch {
  readonly chain: ChainSlug;
  readonly version: number;
  /** The blocks that were added; none when `fromBlock` is above `toBlock`. */
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly checkpoint: Checkpoint;
  /** Whether blocks above `toBlock` were taken back. */
  readonly isRollback: boolean;
  /** Tokens any of whose rows changed: the token itself, balances, trades, candles, its pools. */
  readonly tokens: readonly Address[];
  readonly pools: readonly PoolId[];
  /** Of the tokens, those that are new or whose pools changed. */
  readonly listed: readonly Address[];
  /** False where rows that are not named may have changed, too. */
  readonly complete: boolean;
  /** What may have changed tokens; null where the blocks were not searched for it. */
  readonly notices: readonly TokenNotice[] | null;
  /** The trades that came, in chain order; made when first asked for, since few ask. */
  readTrades(): readonly TradeRecord[];
  /** The trades that a rollback took back. */
  readReverted(): readonly TradeRecord[];
}

export interface FeedListener {
  onBatch(batch: FeedBatch): void;
  /** Batches of this chain were missed; what is known of it must be read anew. */
  onGap(chain: ChainSlug): void;
}

export interface Feed {
  publish(batch: FeedBatch): void;
  /** Hears everything that is published from now on; the returned function ends it. */
  subscribe(listener: FeedListener): () => void;
  close(): Promise<void>;
}
