// Writes a batch: its rows, its candles and the checkpoint, in one transaction.

import { type CommitToPublish, serializeCommit } from '../../live/encode-batch.ts';
import type { AdoptedPool } from '../../model/adoption.ts';
import type { AlertState } from '../../model/alert.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Discovery } from '../../model/discovery.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { TokenNotice } from '../../model/token-notice.ts';
import type { FeedRow } from '../../store/feed-store.ts';
import type { MarketStore, MarketTransaction } from '../../store/store.ts';
import type { ChangedRows } from '../state/changed-rows.ts';
import { type BackfillChanges, putBackfill } from './put-backfill.ts';

// Limits the number of token notices: anyone can have thousands of contracts emit events, which
// must not displace notices about a token that is traded.

/** If a commit has more notices than this, only those about indexed tokens are kept. */
const NOTICES_MAX = 20_000;
/** Tokens that are looked up at once. */
const LOOKUP_MAX = 1_000;

interface NoticeOptions {
  /** Which of the tokens the index has. */
  readonly findIndexed: (tokens: readonly Address[]) => Promise<ReadonlySet<Address>>;
  readonly countMax?: number;
}

/** Null if the range was not searched, or has too many notices about indexed tokens. */
export async function selectNotices(
  notices: readonly TokenNotice[] | null,
  { findIndexed, countMax = NOTICES_MAX }: NoticeOptions,
): Promise<readonly TokenNotice[] | null> {
  if (notices === null || notices.length <= countMax) return notices;
  const tokens = [...new Set(notices.map(({ token }) => token))];
  const indexed = new Set<Address>();
  for (let at = 0; at < tokens.length; at += LOOKUP_MAX) {
    for (const token of await findIndexed(tokens.slice(at, at + LOOKUP_MAX))) indexed.add(token);
  }
  const selected = notices.filter(({ token }) => indexed.has(token));
  return selected.length > countMax ? null : selected;
}

// The rows that each commit touched, kept until it is final, because a rollback touches them again.

/** What a commit touched, up to its last block. */
interface TouchedRows {
  readonly toBlock: number;
  readonly tokens: readonly Address[];
  readonly pools: readonly PoolId[];
}

export class TouchedLog {
  #rows: TouchedRows[] = [];
  /** For commits up to this block the touched rows are unknown. */
  #since = 0;

  /** The store was read at a block; what earlier processes touched is unknown. */
  load(block: number): void {
    if (this.#rows.at(-1)?.toBlock === block) return;
    this.#rows = [];
    this.#since = block;
  }

  note({ toBlock, tokens, pools }: TouchedRows, checkpoint: Checkpoint): void {
    // The next rollback may remove what this one left of a commit.
    this.#rows = this.#rows
      .filter((touched) => touched.toBlock > checkpoint.finalizedBlock)
      .map((touched) => ({ ...touched, toBlock: Math.min(touched.toBlock, checkpoint.block) }));
    if (toBlock > checkpoint.finalizedBlock) this.#rows.push({ toBlock, tokens, pools });
  }

  listAbove(block: number): TouchedRows[] {
    return this.#rows.filter(({ toBlock }) => toBlock > block);
  }

  /** Whether the touched rows of every commit above a block are known. */
  isWholeAbove(block: number): boolean {
    return block >= this.#since;
  }

  rollBack(block: number): void {
    this.#since = Math.min(this.#since, block);
  }
}

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
  // Readers of news look at commits that list something.
  for (const one of batch.changes.news) {
    if (one.kind === 'alert' && one.firing.token !== null) listed.add(one.firing.token);
  }
  return [...listed];
}

export interface BatchToCommit {
  readonly chain: ChainSlug;
  readonly epoch: string;
  readonly fromBlock: number;
  readonly blockCount: number;
  readonly changes: ChangedRows;
  /** Of the alerts' states those to be stored, and those that they replace for good. */
  readonly alertStates: {
    readonly put: readonly AlertState[];
    readonly deleted: readonly Pick<AlertState, 'alert' | 'block'>[];
  };
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
  const { changes, checkpoint, previous, alertStates } = batch;
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
  if (alertStates.put.length > 0) await transaction.putAlertStates(alertStates.put);
  if (alertStates.deleted.length > 0) await transaction.deleteAlertStates(alertStates.deleted);
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

// A commit whose outcome is not known yet.

interface PendingCommitOptions {
  readonly touched: TouchedLog;
  /** Called after each commit, in order; must not throw. */
  readonly onCommitted: (event: CommittedEvent) => void;
}

export class PendingCommit {
  readonly #options: PendingCommitOptions;
  #event: CommittedEvent | null = null;

  constructor(options: PendingCommitOptions) {
    this.#options = options;
  }

  begin(event: CommittedEvent): CommittedEvent {
    this.#event = event;
    return event;
  }

  /**
   * If the connection was lost during a commit, its outcome is unknown until the checkpoint is read
   * again: the feed must not miss it. Throws if the lease is lost: then another process may have
   * committed other rows with this version, at this block.
   */
  async settleRead(
    store: Pick<MarketStore, 'transaction'>,
    checkpoint: Checkpoint | null,
  ): Promise<void> {
    const event = this.#event;
    if (event !== null && isOf(checkpoint, event)) {
      await store.transaction(event.chain, async () => undefined);
    }
    this.settle(checkpoint);
  }

  /** Reports the last commit once it is known to have succeeded. */
  settle(checkpoint: Checkpoint | null): void {
    const event = this.#event;
    this.#event = null;
    if (event === null || checkpoint === null || !isOf(checkpoint, event)) return;
    // A pool's row may have changed and not its tokens' rows, so `listed` counts, too.
    const tokens = [...new Set([...event.tokens, ...event.listed])];
    this.#options.touched.note({ ...event, tokens }, checkpoint);
    this.#options.onCommitted(event);
  }
}

function isOf(checkpoint: Checkpoint | null, event: CommittedEvent): boolean {
  if (checkpoint?.version !== event.version) return false;
  return checkpoint.blockHash === event.checkpoint.blockHash;
}
