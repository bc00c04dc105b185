// What an index of a chain is made with, and what it is given.

import type { BlockRangeReading, ChainAdapter } from '../../chains/adapter.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import type { IncompletePool } from '../adopt/pool-adopter.ts';
import type { CommittedEvent } from '../commit/commit-batch.ts';
import type { RetentionDays } from '../commit/row-retention.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import type { StateLimits } from '../state/market-state.ts';

export interface ChainIndexOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketStore;
  readonly limits?: StateLimits;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** How long rollback records are kept. */
  readonly rollbacksKeptMs?: number | undefined;
  /** How long rows are kept; forever by default. */
  readonly retention?: RetentionDays | undefined;
  /** Which tokens are indexed; all by default. */
  readonly scope?: ChainScope | null | undefined;
  readonly onRetentionError?: (error: unknown) => void;
  /** Called after each commit, in order; must not throw. */
  readonly onCommitted: (event: CommittedEvent) => void;
  /** Called before a new epoch begins: the store went back from a version to another. */
  readonly onNewEpoch?: (went: { readonly from: number; readonly to: number }) => void;
  /** Called with pools that changed and are not complete. */
  readonly onIncomplete?: (pools: readonly IncompletePool[]) => void;
  /** Called with tokens that traded and lack a symbol, a name or decimals. */
  readonly onUnnamed?: (tokens: readonly TokenRecord[]) => void;
}

export interface BlocksToAppend {
  readonly reading: Pick<BlockRangeReading, 'blocks' | 'blockCount' | 'notices' | 'archive'>;
  /** Headers to keep for detecting reorganisations; at least the last block's. */
  readonly headers: readonly BlockHeader[];
  readonly last: BlockHeader;
  readonly finalizedBlock: number;
  /** Whether to read the supplies of tokens whose balances changed. */
  readonly withSupplies: boolean;
  readonly signal: AbortSignal;
}
