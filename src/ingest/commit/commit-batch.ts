// Writes a batch: its rows, its candles and the checkpoint, in one transaction.

import type { CommitToPublish } from '../../live/encode-batch.ts';
import type { AdoptedPool } from '../../model/adoption.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Discovery } from '../../model/discovery.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { TokenNotice } from '../../model/token-notice.ts';
import type { MarketStore } from '../../store/store.ts';
import type { BatchChanges } from '../state/market-state.ts';
import { foldCandles } from './fold-candles.ts';
import { type BackfillChanges, putBackfill } from './put-backfill.ts';
import type { TouchedRows } from './touched-rows.ts';

/** One commit, as published to subscribers. */
export interface CommittedEvent extends CommitToPublish {
  /** How many blocks were added; positions may have none. */
  readonly blockCount: number;
  /** Blocks above `toBlock` were rolled back, and with them these trades. */
  readonly reverted?: { readonly toBlock: number; readonly trades: readonly TradeRecord[] };
}

function findListed(batch: BatchToCommit): Address[] {
  const listed = new Set<Address>();
  // A commit without a new block may add tokens to the last one.
  const firstBlock = Math.min(batch.fromBlock, batch.checkpoint.block);
  for (const { row } of batch.changes.tokens) {
    if (row.firstSeenBlock >= firstBlock) listed.add(row.token);
  }
  for (const { row } of batch.changes.pools) listed.add(row.token0).add(row.token1);
  return [...listed];
}

export interface BatchToCommit {
  readonly chain: ChainSlug;
  readonly fromBlock: number;
  readonly blockCount: number;
  readonly changes: BatchChanges;
  /** The headers for detecting later reorganisations, including the last block's. */
  readonly headers: readonly BlockHeader[];
  readonly notices?: readonly TokenNotice[] | null | undefined;
  /** Pools that became complete with this commit. */
  readonly adoptions?: readonly AdoptedPool[] | undefined;
  /** Rows of older blocks. */
  readonly backfill?: BackfillChanges | undefined;
  /** Tokens and pools that were looked up. */
  readonly discoveries?: readonly Discovery[] | undefined;
  /** Tokens that come into scope or leave it. */
  readonly scoped?: readonly ScopeEntry[] | undefined;
  readonly previous: Checkpoint | null;
  readonly checkpoint: Checkpoint;
}

/** A rollback to a checkpoint, with what the commits above it had touched. */
export function buildRevertedEvent(rollback: {
  readonly chain: ChainSlug;
  readonly checkpoint: Checkpoint;
  readonly trades: CommittedEvent['trades'];
  readonly undone: readonly TouchedRows[];
  readonly complete: boolean;
}): CommittedEvent {
  const { chain, checkpoint, trades, undone, complete } = rollback;
  const { block, version } = checkpoint;
  const touched = [...undone.flatMap(({ tokens }) => tokens), ...trades.map(({ token }) => token)];
  const tokens = [...new Set(touched)];
  const pools = [...undone.flatMap((each) => each.pools), ...trades.map(({ pool }) => pool)];
  return {
    ...{ chain, version, checkpoint, tokens, complete },
    fromBlock: block + 1,
    toBlock: block,
    blockCount: 0,
    reverted: { toBlock: block, trades },
    trades: [],
    pools: [...new Set(pools)],
    listed: tokens,
  };
}

export function buildCommittedEvent(batch: BatchToCommit): CommittedEvent {
  const { backfill } = batch;
  const tokens = new Set(Array.from(batch.changes.tokens, ({ row }) => row.token));
  if (backfill !== undefined) tokens.add(backfill.token);
  return {
    chain: batch.chain,
    version: batch.checkpoint.version,
    fromBlock: batch.fromBlock,
    toBlock: batch.checkpoint.block,
    blockCount: batch.blockCount,
    checkpoint: batch.checkpoint,
    trades: batch.changes.trades,
    tokens: [...new Set([...tokens, ...(batch.scoped ?? []).map(({ token }) => token)])],
    ...(backfill === undefined ? {} : { backfilled: backfill.token }),
    pools: Array.from(batch.changes.pools, ({ row }) => row.pool),
    listed: findListed(batch),
    complete: true,
    notices: batch.notices === undefined ? [] : batch.notices,
  };
}

export async function commitBatch(store: MarketStore, batch: BatchToCommit): Promise<void> {
  const { chain, changes, checkpoint, previous } = batch;
  const { block, version } = checkpoint;
  const adoptions = (batch.adoptions ?? []).map((adopted) => ({ ...adopted, block, version }));
  const discoveries = (batch.discoveries ?? []).map((found) => ({ ...found, block, version }));
  const candles = await foldCandles({ reader: store, chain }, changes.trades);
  await store.transaction(chain, async (transaction) => {
    await transaction.setCheckpoint(checkpoint);
    await transaction.putHeaders(batch.headers);
    await transaction.putTokens(Array.from(changes.tokens, ({ row }) => row));
    await transaction.putPools(Array.from(changes.pools, ({ row }) => row));
    await transaction.putTicks(Array.from(changes.ticks, ({ row }) => row));
    await transaction.putBalances(Array.from(changes.balances, ({ row }) => row));
    await transaction.insertTrades(changes.trades);
    await transaction.putCandles(candles);
    await transaction.putUndo(changes.undo);
    if (adoptions.length > 0) await transaction.putAdoptions(adoptions);
    if (batch.backfill !== undefined) await putBackfill(transaction, chain, batch.backfill);
    if (discoveries.length > 0) await transaction.putDiscoveries(discoveries);
    if (batch.scoped?.length) await transaction.putScopeEntries(batch.scoped);
    if (previous === null || checkpoint.finalizedBlock > previous.finalizedBlock) {
      await transaction.pruneUndo(checkpoint.finalizedBlock);
    }
  });
}
