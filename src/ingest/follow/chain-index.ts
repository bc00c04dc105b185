// One chain's index: the stored rows with their checkpoint, moved forward and back by blocks.

import type { BlockRangeReading, ChainAdapter } from '../../chains/adapter.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AdoptedPool } from '../../model/adoption.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { MarketStore } from '../../store/store.ts';
import { AdoptionJournal } from '../adopt/adoption-journal.ts';
import { applyAdoptions } from '../adopt/apply-adoptions.ts';
import { findIncomplete } from '../adopt/find-incomplete.ts';
import { applyBlocks } from '../apply/apply-blocks.ts';
import { findStoredTokens, loadDiscoveries, loadPoolRows, loadState } from '../apply/load-state.ts';
import { isSupplyDue, readSupplies, renewSupplies, setSupplies } from '../apply/supplies.ts';
import { applyHolders, loadHolders } from '../backfill/apply-holders.ts';
import type { BackfillIndex } from '../backfill/backfill-step.ts';
import type { JoinedHolders } from '../backfill/holder-history.ts';
import { TransferJournal } from '../backfill/transfer-journal.ts';
import {
  type BatchToCommit,
  buildCommittedEvent,
  buildRevertedEvent,
  type CommittedEvent,
  commitBatch,
} from '../commit/commit-batch.ts';
import type { BackfillChanges } from '../commit/put-backfill.ts';
import { rollBack } from '../commit/roll-back.ts';
import { pickKeptFrom, RowRetention } from '../commit/row-retention.ts';
import { selectNotices } from '../commit/select-notices.ts';
import { TouchedLog } from '../commit/touched-rows.ts';
import { applyDiscoveries, pickNew } from '../demand/apply-discoveries.ts';
import { readBase } from '../read/read-base.ts';
import { applyLeave, loadLeaving } from '../scope/apply-leave.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import { assertSameScope, readAllEntries } from '../scope/stored-scope.ts';
import { MarketState, NO_CHANGES, type TokenEntry } from '../state/market-state.ts';
import type { BlocksToAppend, ChainIndexOptions } from './chain-index-options.ts';

const ROLLBACKS_KEPT_MS = 24 * 60 * 60 * 1000;

export class ChainIndex implements BackfillIndex {
  /** Records the events of pools that are being adopted. */
  readonly journal = new AdoptionJournal();
  /** Records the transfers of tokens whose holders are being joined. */
  readonly transfers = new TransferJournal();
  readonly #adapter: ChainAdapter;
  readonly #store: MarketStore;
  readonly #state: MarketState;
  readonly #onCommitted: (event: CommittedEvent) => void;
  readonly #onIncomplete: ChainIndexOptions['onIncomplete'];
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #rollbacksKeptMs: number;
  readonly #retention: RowRetention | null;
  readonly #scope: ChainScope | null;
  #checkpoint: Checkpoint | null = null;
  #base: BlockHeader | null = null;
  #startBlock = 0;
  #headers = new Map<number, BlockHeader>();
  readonly #touched = new TouchedLog();
  /** A commit whose outcome is not known yet. */
  #pending: CommittedEvent | null = null;

  constructor(options: ChainIndexOptions) {
    this.#adapter = options.adapter;
    this.#store = options.store;
    this.#state = new MarketState(options.adapter.assets, options.limits);
    this.#onCommitted = options.onCommitted;
    this.#onIncomplete = options.onIncomplete;
    this.#scope = options.scope ?? null;
    this.#clock = options.clock;
    this.#rollbacksKeptMs = options.rollbacksKeptMs ?? ROLLBACKS_KEPT_MS;
    const { adapter, store, retention: days } = options;
    const { onRetentionError: onError = () => undefined } = options;
    this.#retention =
      days === undefined ? null : new RowRetention({ store, chain: adapter.chain, days, onError });
  }

  get checkpoint(): Checkpoint | null {
    return this.#checkpoint;
  }

  /** The last indexed block; if there is none, the block before the first. */
  get block(): number {
    return this.#checkpoint?.block ?? this.#startBlock - 1;
  }

  /** The first indexed block. */
  get startBlock(): number {
    return this.#startBlock;
  }

  /** Null only before block 0. */
  get tip(): { readonly hash: string } | null {
    if (this.#checkpoint === null) return this.#base;
    return { hash: this.#checkpoint.blockHash };
  }

  get headers(): ReadonlyMap<number, BlockHeader> {
    return this.#headers;
  }

  /** Discards memory and loads the checkpoint; an empty store begins at `startBlock`. */
  async load(startBlock: number, signal: AbortSignal): Promise<void> {
    const { chain } = this.#adapter;
    this.#state.clear();
    this.#headers = new Map();
    this.#checkpoint = await this.#store.readCheckpoint(chain);
    this.#settlePending();
    for (const one of [this.journal, this.transfers]) one.reconcile(this.#checkpoint);
    assertSameScope(chain, this.#checkpoint, this.#scope?.name ?? 'all');
    this.#scope?.load(await readAllEntries(this.#store, chain));
    if (this.#checkpoint === null) {
      this.#startBlock = startBlock;
      this.#base = startBlock === 0 ? null : await readBase(this.#adapter, startBlock - 1, signal);
      return;
    }
    this.#startBlock = this.#checkpoint.startBlock;
    this.#touched.load(this.block);
    for (const header of await this.#store.readHeaders(chain)) {
      this.#headers.set(header.position, header);
    }
  }

  /**
   * Applies blocks that follow the last indexed one and commits them. Returns the tokens whose
   * supplies are due but were not read.
   */
  async append(append: BlocksToAppend): Promise<readonly Address[]> {
    const { reading, last, finalizedBlock, signal } = append;
    const source = { reader: this.#store, adapter: this.#adapter, signal };
    const fromBlock = this.block + 1;
    const keptFrom = this.#findKeptFrom(reading.blocks[0]?.header ?? last);
    const fromMs = this.#checkpoint?.timestampMs ?? keptFrom.startAtMs ?? 0;
    const read = { blocks: reading.blocks, fromBlock, fromMs, last };
    const selected = await this.#scope?.select(read, this.#state, source);
    const { blocks, entries: scoped } = selected ?? { blocks: reading.blocks, entries: [] };
    await loadState(this.#state, source, blocks);
    applyBlocks(this.#state, blocks, finalizedBlock);
    const changes = this.#state.takeChanges();
    const missed = await renewSupplies(this.#adapter, {
      ...{ tokens: changes.tokens, header: last, isRead: append.withSupplies, signal },
    });
    const incomplete = findIncomplete(this.#state, changes.pools);
    const headers =
      this.#checkpoint === null && this.#base !== null
        ? [this.#base, ...append.headers]
        : append.headers;
    await this.#commit({
      ...{ fromBlock, blockCount: reading.blockCount, changes, headers },
      notices: await this.#selectNotices(reading.notices),
      checkpoint: {
        startBlock: this.#startBlock,
        block: last.position,
        blockHash: last.hash,
        timestampMs: last.timestampMs,
        finalizedBlock,
        version: (this.#checkpoint?.version ?? 0) + 1,
        ...keptFrom,
        ...(this.#scope === null ? {} : { scope: this.#scope.name }),
      },
      scoped,
    });
    for (const one of [this.journal, this.transfers]) one.record(blocks, this.#requireCheckpoint());
    this.#onIncomplete?.(incomplete);
    await this.retain(changes.trades.length);
    return missed;
  }

  #selectNotices(notices: BlockRangeReading['notices']) {
    if (notices === undefined) return undefined;
    const { chain } = this.#adapter;
    const findIndexed = (tokens: readonly Address[]) =>
      findStoredTokens(this.#state, { reader: this.#store, chain, tokens });
    return selectNotices(notices, { findIndexed });
  }

  /** Raises the retention floors, and deletes some of the rows below them. */
  async retain(tradesAdded = 0): Promise<void> {
    const checkpoint = this.#requireCheckpoint();
    const finalizedMs = this.#headers.get(checkpoint.finalizedBlock)?.timestampMs;
    if (this.#retention === null || finalizedMs === undefined) return;
    const floors = this.#retention.planFloors(checkpoint, finalizedMs);
    if (floors !== null) {
      await this.#commitAtTip({ checkpoint: { ...checkpoint, ...floors } });
    }
    await this.#retention.deleteSome(this.#requireCheckpoint(), tradesAdded);
  }

  /** Records that blocks up to this one can no longer be rolled back. */
  async setFinalized(finalizedBlock: number): Promise<void> {
    const checkpoint = this.#requireCheckpoint();
    await this.#commitAtTip({ checkpoint: { ...checkpoint, finalizedBlock } });
  }

  /**
   * Reads the supplies of tokens that no new block touched, as of the last indexed block. Returns
   * those that could not be read.
   */
  async updateSupplies(
    tokens: readonly Address[],
    signal: AbortSignal,
  ): Promise<readonly Address[]> {
    const { checkpoint, header } = this.#requireTip();
    const stored = await this.#loadTokens(tokens);
    const entries = stored.filter(({ row }) => isSupplyDue(row, this.#adapter.assets));
    if (entries.length === 0) return [];
    const supplies = await readSupplies(this.#adapter, { entries, header, signal });
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    for (const entry of entries) this.#state.touchToken(entry);
    const missed = setSupplies(entries, supplies, header);
    await this.#commitAtTip({ checkpoint, changes: this.#state.takeChanges() });
    return missed;
  }

  /**
   * Makes pools complete as of the last indexed block. `buildAdopted` gets the row of each pool at
   * that block and returns its whole state, or null to leave it. Returns those adopted.
   */
  async adopt(
    pools: readonly PoolId[],
    buildAdopted: (row: PoolRecord) => AdoptedPool | null,
    signal: AbortSignal,
  ): Promise<ReadonlySet<PoolId>> {
    const { checkpoint, header } = this.#requireTip();
    const { chain } = this.#adapter;
    const source = { reader: this.#store, adapter: this.#adapter, signal };
    await loadPoolRows(this.#state, source, pools);
    const ticks = Map.groupBy(await this.#store.readTicks(chain, pools), ({ pool }) => pool);
    const adoptions = [...pools].sort().flatMap((pool) => {
      const row = this.#state.pools.get(pool)?.row;
      if (row === undefined || row.complete || this.#scope?.hasPool(row) === false) return [];
      return buildAdopted(row) ?? [];
    });
    const adopted = new Set(adoptions.map(({ pool }) => pool));
    if (adopted.size === 0) return adopted;
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    applyAdoptions(this.#state, adoptions, ticks);
    await this.#commitAtTip({ checkpoint, changes: this.#state.takeChanges(), adoptions });
    return adopted;
  }

  async commitBackfill(backfill: BackfillChanges): Promise<void> {
    await this.#commitAtTip({ checkpoint: this.#requireCheckpoint(), backfill });
  }

  async joinHolders(holders: JoinedHolders, backfill: BackfillChanges): Promise<void> {
    const { checkpoint, header } = this.#requireTip();
    const { token } = holders;
    const [entry] = await this.#loadTokens([token]);
    if (entry === undefined) throw new Error(`token ${token} is not stored`);
    const { chain } = this.#adapter;
    const owners = await loadHolders(this.#state, this.#store, { chain, token });
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    applyHolders(this.#state, entry, { holders, owners });
    await this.#commitAtTip({ checkpoint, changes: this.#state.takeChanges(), backfill });
  }

  async #loadTokens(tokens: readonly Address[]): Promise<TokenEntry[]> {
    const missing = tokens.filter((token) => this.#state.tokens.get(token) === undefined);
    const rows = await this.#store.readTokens(this.#adapter.chain, missing);
    for (const row of rows) this.#state.adoptToken(row);
    return tokens.flatMap((token) => this.#state.tokens.get(token) ?? []);
  }

  /**
   * Adds tokens and pools that are older than the index, as of the last indexed block. Returns the
   * tokens whose supplies could not be read.
   */
  async discover(
    found: Parameters<typeof loadDiscoveries>[2],
    signal: AbortSignal,
  ): Promise<readonly Address[]> {
    const { checkpoint, header } = this.#requireTip();
    const source = { reader: this.#store, adapter: this.#adapter, signal };
    await loadDiscoveries(this.#state, source, found);
    const discoveries = pickNew(this.#state, found.discoveries);
    if (discoveries.length === 0) return [];
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    applyDiscoveries(this.#state, discoveries);
    const changes = this.#state.takeChanges();
    const of = { tokens: changes.tokens, header, isRead: true, signal };
    const missed = await renewSupplies(this.#adapter, of);
    await this.#commitAtTip({ checkpoint, changes, discoveries });
    return missed;
  }

  /** Tokens of which nothing more is read: what depends on events becomes unknown. */
  async leave(entries: readonly ScopeEntry[], signal: AbortSignal): Promise<void> {
    const { checkpoint, header } = this.#requireTip();
    const tokens = entries.map(({ token }) => token);
    const source = { reader: this.#store, adapter: this.#adapter, signal };
    const hasPool = (pool: PoolRecord) => this.#scope?.hasPool(pool) ?? true;
    const pools = await loadLeaving(this.#state, source, { tokens, hasPool });
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    applyLeave(this.#state, { tokens, pools });
    for (const { row } of pools) this.journal.forget(row.pool);
    const scoped = entries.map((entry) => ({ ...entry, leftBlock: checkpoint.block }));
    await this.#commitAtTip({ checkpoint, changes: this.#state.takeChanges(), scoped });
  }

  /** Removes every block above `ancestor`. Returns whether the event names all rows it touched. */
  async rollBack(ancestor: BlockHeader): Promise<boolean> {
    const before = this.#requireCheckpoint();
    const checkpoint: Checkpoint = {
      ...before,
      block: ancestor.position,
      blockHash: ancestor.hash,
      timestampMs: ancestor.timestampMs,
      version: before.version + 1,
    };
    // In any case memory holds rows of the abandoned branch.
    this.#state.clear();
    const { chain } = this.#adapter;
    await rollBack(this.#store, {
      chain,
      checkpoint,
      tip: before,
      nowMs: this.#clock.nowMs(),
      keptMs: this.#rollbacksKeptMs,
      onRemoved: (trades) => {
        const undone = this.#touched.listAbove(checkpoint.block);
        const complete = this.#touched.isWholeAbove(checkpoint.block);
        this.#pending = buildRevertedEvent({ chain, checkpoint, trades, undone, complete });
      },
    });
    for (const number of this.#headers.keys()) {
      if (number > ancestor.position) this.#headers.delete(number);
    }
    this.#checkpoint = checkpoint;
    this.#scope?.rollBack(checkpoint.block);
    for (const one of [this.journal, this.transfers]) one.rollBack(checkpoint);
    this.#settlePending();
    const isToldWhole = this.#touched.isWholeAbove(ancestor.position);
    this.#touched.rollBack(ancestor.position);
    return isToldWhole;
  }

  /** Commits changes that come without a new block. */
  #commitAtTip(batch: Pick<BatchToCommit, 'checkpoint'> & Partial<BatchToCommit>): Promise<void> {
    const { block, version } = batch.checkpoint;
    const checkpoint = { ...batch.checkpoint, version: version + 1 };
    return this.#commit({
      ...{ changes: NO_CHANGES, headers: [], fromBlock: block + 1, blockCount: 0 },
      ...{ ...batch, checkpoint },
    });
  }

  async #commit(batch: Omit<BatchToCommit, 'chain' | 'previous'>): Promise<void> {
    const whole = { ...batch, chain: this.#adapter.chain, previous: this.#checkpoint };
    this.#pending = buildCommittedEvent(whole);
    await commitBatch(this.#store, whole);
    this.#checkpoint = batch.checkpoint;
    this.#scope?.noteCommitted(batch);
    for (const header of batch.headers) this.#headers.set(header.position, header);
    for (const number of this.#headers.keys()) {
      if (number < batch.checkpoint.finalizedBlock) this.#headers.delete(number);
    }
    this.#state.trim();
    this.#settlePending();
  }

  /**
   * Reports the last commit once it is known to have succeeded. If the connection was lost during a
   * commit, that is unknown until the checkpoint is read again: the feed must not miss it.
   */
  #settlePending(): void {
    const event = this.#pending;
    this.#pending = null;
    const checkpoint = this.#checkpoint;
    if (event === null || checkpoint?.version !== event.version) return;
    if (checkpoint.blockHash !== event.checkpoint.blockHash) return;
    // A pool's row may have changed and not its tokens' rows, so `listed` counts, too.
    const tokens = [...new Set([...event.tokens, ...event.listed])];
    this.#touched.note({ ...event, tokens }, checkpoint);
    this.#onCommitted(event);
  }

  /** From when on there are rows: the time of the first indexed block, as far as known. */
  #findKeptFrom(first: BlockHeader) {
    if (this.#checkpoint !== null) return pickKeptFrom(this.#checkpoint);
    return { startAtMs: this.#base?.timestampMs ?? first.timestampMs };
  }

  /** The last commit, and the header of its block. */
  #requireTip(): { readonly checkpoint: Checkpoint; readonly header: BlockHeader } {
    const checkpoint = this.#requireCheckpoint();
    const header = this.#headers.get(checkpoint.block);
    if (header === undefined) throw new Error(`no header of block ${checkpoint.block} is stored`);
    return { checkpoint, header };
  }

  #requireCheckpoint(): Checkpoint {
    if (this.#checkpoint === null) throw new Error('nothing is indexed yet');
    return this.#checkpoint;
  }
}
