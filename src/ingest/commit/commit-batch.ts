// Writes a batch: its rows, its candles and the checkpoint, in one transaction.

import { type CommitToPublish, serializeCommit } from '../../live/encode-batch.ts';
import type { AdoptedPool } from '../../model/adoption.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Discovery } from '../../model/discovery.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { TokenNotice } from '../../model/token-notice.ts';
import type { FeedRow } from '../../store/feed-store.ts';
import type { MarketStore, MarketTransaction } from '../../store/store.ts';
import type { ChangedRows } from '../state/changed-rows.ts';
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
  for (const row of batch.changes.tokens) {
    if (row.firstSeenBlock >= firstBlock) listed.add(row.token);
  }
  for (const row of batch.changes.pools) listed.add(row.token0).add(row.token1);
  return [...listed];
}

export interface BatchToCommit {
  readonly chain: ChainSlug;
  readonly epoch: string;
  readonly fromBlock: number;
  readonly blockCount: number;
  readonly changes: ChangedRows;
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
  /** The server that the epoch is of. */
  readonly server: string | null;
  /** Whether the epoch begins with this commit, though others are stored. */
  readonly isNewEpoch?: boolean | undefined;
  readonly previous: Checkpoint | null;
  /** How long news are kept, by the chain's time. */
  readonly newsKeptMs: number;
  readonly checkpoint: Checkpoint;
}

/** A rollback to a checkpoint, with what the commits above it had touched. */
export function buildRevertedEvent(rollback: {
  readonly chain: ChainSlug;
  readonly epoch: string;
  readonly checkpoint: Checkpoint;
  readonly trades: CommittedEvent['trades'];
  readonly undone: readonly TouchedRows[];
  readonly complete: boolean;
}): CommittedEvent {
  const { chain, epoch, checkpoint, trades, undone, complete } = rollback;
  const { block, version } = checkpoint;
  const touched = [...undone.flatMap(({ tokens }) => tokens), ...trades.map(({ token }) => token)];
  const tokens = [...new Set(touched)];
  const pools = [...undone.flatMap((each) => each.pools), ...trades.map(({ pool }) => pool)];
  return {
    ...{ chain, epoch, version, checkpoint, tokens, complete },
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
  const tokens = new Set(batch.changes.tokens.map(({ token }) => token));
  if (backfill !== undefined) tokens.add(backfill.token);
  for (const { token } of batch.scoped ?? []) tokens.add(token);
  return {
    chain: batch.chain,
    epoch: batch.epoch,
    version: batch.checkpoint.version,
    fromBlock: batch.fromBlock,
    toBlock: batch.checkpoint.block,
    blockCount: batch.blockCount,
    checkpoint: batch.checkpoint,
    trades: batch.changes.trades,
    tokens: [...tokens],
    ...(backfill === undefined ? {} : { backfilled: backfill.token }),
    pools: batch.changes.pools.map(({ pool }) => pool),
    listed: findListed(batch),
    complete: !batch.isNewEpoch,
    notices: batch.notices === undefined ? [] : batch.notices,
  };
}

/** The commit as kept for other processes. */
export function buildFeedRow(event: CommittedEvent): FeedRow {
  const { epoch, version } = event;
  return { epoch, version, body: serializeCommit(event) };
}

export async function commitBatch(
  store: MarketStore,
  batch: BatchToCommit,
  event: CommittedEvent,
): Promise<void> {
  const { chain, epoch, server, checkpoint } = batch;
  await store.transaction(chain, async (transaction) => {
    const checked = transaction.setCheckpoint(checkpoint, { epoch, server });
    // Rows are sent meanwhile; a stale writer's are rolled back.
    checked.catch(() => undefined);
    try {
      if (batch.isNewEpoch) await transaction.setEpoch({ epoch, server });
      await writeRows(transaction, batch);
      await transaction.putFeedRow(() => buildFeedRow(event));
    } finally {
      await checked;
    }
  });
}

async function writeRows(transaction: MarketTransaction, batch: BatchToCommit): Promise<void> {
  const { changes, checkpoint, previous } = batch;
  const { block, version } = checkpoint;
  const adoptions = (batch.adoptions ?? []).map((adopted) => ({ ...adopted, block, version }));
  const discoveries = (batch.discoveries ?? []).map((found) => ({ ...found, block, version }));
  // First, because it waits for PostgreSQL's stored candles: the other rows are sent meanwhile.
  const added = transaction.addTrades(changes.trades);
  added.catch(() => undefined);
  await transaction.putHeaders(batch.headers);
  await transaction.putTokens(changes.tokens);
  await transaction.putPools(changes.pools);
  await transaction.putTicks(changes.ticks);
  await transaction.putBalances(changes.balances);
  await transaction.addBalances(changes.addedBalances);
  await transaction.putPositions(changes.positions);
  await transaction.addPositions(changes.addedPositions);
  await transaction.putUndo(changes.undo);
  const news = changes.news.map((one, index) => ({ ...one, version, index }));
  if (news.length > 0) await transaction.putNews(news);
  if (adoptions.length > 0) await transaction.putAdoptions(adoptions);
  await added;
  if (batch.backfill !== undefined) await putBackfill(transaction, batch.chain, batch.backfill);
  if (discoveries.length > 0) await transaction.putDiscoveries(discoveries);
  if (batch.scoped?.length) await transaction.putScopeEntries(batch.scoped);
  if (previous === null || checkpoint.finalizedBlock > previous.finalizedBlock) {
    await transaction.pruneUndo(checkpoint.finalizedBlock);
    await transaction.pruneNews(checkpoint.timestampMs - batch.newsKeptMs);
  }
}
