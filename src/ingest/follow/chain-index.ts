// One chain's index: the stored rows with their checkpoint, moved forward and back by blocks.

import { isDeepStrictEqual } from 'node:util';
import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AdoptedPool } from '../../model/adoption.ts';
import type { AlertRecord, AlertState } from '../../model/alert.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { ArchivedRange, Checkpoint } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { TokenMetadata } from '../../model/token-metadata.ts';
import { createEpoch, FORGOTTEN_EPOCH } from '../../store/create-epoch.ts';
import type { MarketStore } from '../../store/store.ts';
import type { EpochName } from '../../store/stream-reads.ts';
import { AdoptionJournal } from '../adopt/adoption-journal.ts';
import { applyAdoptions } from '../adopt/apply-adoptions.ts';
import { isReadingDue } from '../adopt/pool-adopter.ts';
import { loadDiscoveries, loadPoolRows, loadStoredTokens } from '../apply/load-state.ts';
import { isSupplyDue, readSupplies, renewSupplies, setSupplies } from '../apply/supplies.ts';
import { applyHolders, loadHolders } from '../backfill/apply-holders.ts';
import type { BackfillIndex } from '../backfill/backfill-step.ts';
import { findLastPrices } from '../backfill/find-last-prices.ts';
import type { JoinedHolders } from '../backfill/holder-history.ts';
import { TransferJournal } from '../backfill/transfer-journal.ts';
import {
  type BatchToCommit,
  buildCommittedEvent,
  buildRevertedEvent,
  commitBatch,
  PendingCommit,
  TouchedLog,
} from '../commit/commit-batch.ts';
import type { BackfillChanges } from '../commit/put-backfill.ts';
import { rollBack } from '../commit/roll-back.ts';
import { pickKeptFrom, RowRetention } from '../commit/row-retention.ts';
import { applyDiscoveries, pickNew } from '../demand/entry-lookups.ts';
import { readBase } from '../read/find-ancestor.ts';
import type { ChainScope, ScopeSource, SelectedBlocks } from '../scope/chain-scope.ts';
import { applyLeave, assertSameScope, loadLeaving, readAllEntries } from '../scope/stored-scope.ts';
import { type ChangedRows, copyRows, NO_ROWS } from '../state/changed-rows.ts';
import { MarketState } from '../state/market-state.ts';
import { AlertFollower } from './alert-follower.ts';
import type { BlocksToAppend, ChainIndexOptions } from './chain-index-options.ts';
import { isSeenUnnamed } from './name-backlog.ts';
import { type LoadFigures, type PreparedBatch, prepareBatch } from './prepare-batch.ts';

const ROLLBACKS_KEPT_MS = 24 * 60 * 60 * 1000;

/** What the index adds to each commit. */
type CommitContext = 'chain' | 'epoch' | 'server' | 'previous' | 'newsKeptMs' | 'alertStates';

interface EpochPlace {
  readonly epoch: string;
  readonly version: number;
}

/** With what archives gave before. */
function addArchived(
  before: ArchivedRange | undefined,
  { source, ...more }: Omit<ArchivedRange, 'sources'> & { readonly source: string },
): ArchivedRange {
  if (before === undefined) return { ...more, sources: [source] };
  return {
    sources: [...new Set([...before.sources, source])],
    isProved: more.isProved && before.isProved,
    fromBlock: Math.min(before.fromBlock, more.fromBlock),
    toBlock: Math.max(before.toBlock, more.toBlock),
    fromMs: Math.min(before.fromMs, more.fromMs),
    toMs: Math.max(before.toMs, more.toMs),
  };
}

export class ChainIndex implements BackfillIndex {
  /** Records the events of pools that are being adopted. */
  readonly journal = new AdoptionJournal();
  /** Records the transfers of tokens whose holders are being joined. */
  readonly transfers = new TransferJournal();
  readonly #adapter: ChainAdapter;
  readonly #store: MarketStore;
  readonly #state: MarketState;
  readonly #onIncomplete: ChainIndexOptions['onIncomplete'];
  readonly #onUnnamed: ChainIndexOptions['onUnnamed'];
  readonly #onNewEpoch: ChainIndexOptions['onNewEpoch'];
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #rollbacksKeptMs: number;
  readonly #retention: RowRetention | null;
  readonly #scope: ChainScope | null;
  #checkpoint: Checkpoint | null = null;
  /** Begins with the first commit; see `ChainEpoch`. */
  #epoch = '';
  /** The one that the epoch is of, if the store tells. */
  #server: string | null = null;
  #base: BlockHeader | null = null;
  #startBlock = 0;
  #headers = new Map<number, BlockHeader>();
  readonly #touched = new TouchedLog();
  readonly #alerts: AlertFollower;
  readonly #pending: PendingCommit;
  /** The last commit of a prepared batch. */
  #committing: Promise<void> = Promise.resolve();

  constructor(options: ChainIndexOptions) {
    this.#adapter = options.adapter;
    this.#store = options.store;
    this.#state = new MarketState(options.adapter.assets, options.limits);
    this.#alerts = new AlertFollower({
      ...{ chain: options.adapter.chain, store: options.store, clock: options.clock },
      book: this.#state.alerts,
    });
    this.#pending = new PendingCommit({ ...options, touched: this.#touched });
    this.#onIncomplete = options.onIncomplete;
    this.#onUnnamed = options.onUnnamed;
    this.#onNewEpoch = options.onNewEpoch;
    this.#scope = options.scope ?? null;
    this.#clock = options.clock;
    this.#rollbacksKeptMs = options.rollbacksKeptMs ?? ROLLBACKS_KEPT_MS;
    const { adapter, store, retention: days, onRetentionError: onError = () => {} } = options;
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
    this.#alerts.reset();
    this.#headers = new Map();
    this.#committing = Promise.resolve();
    const known = { version: this.#checkpoint?.version ?? 0, epoch: this.#epoch };
    // First: what is read after it is of this server, or of a later one, which refuses our commits.
    this.#server = await this.#store.readServer();
    this.#checkpoint = await this.#store.readCheckpoint(chain);
    let epoch = await this.#store.readEpoch(chain);
    if (epoch?.epoch === FORGOTTEN_EPOCH) {
      // It was being deleted: rows of it must not mix with those to come.
      await this.#store.forgetChain(chain);
      epoch = null;
    }
    this.#epoch = epoch?.epoch ?? createEpoch();
    await this.#pending.settleRead(this.#store, this.#checkpoint);
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
    await this.#settleEpoch(this.#checkpoint, { known, stored: epoch });
  }

  /**
   * A standby that took over, or a store that was restored, may lack commits that others have seen:
   * the next ones get their versions again, and must not be taken for them.
   */
  async #settleEpoch(
    checkpoint: Checkpoint,
    { known, stored }: { readonly known: EpochPlace; readonly stored: EpochName | null },
  ): Promise<void> {
    const wentBack = known.epoch === this.#epoch && checkpoint.version < known.version;
    const server = stored?.server ?? null;
    if (wentBack || (server !== null && server !== this.#server)) {
      this.#onNewEpoch?.({ from: known.version, to: checkpoint.version });
      this.#epoch = createEpoch();
      await this.#commitAtTip({ checkpoint, isNewEpoch: true });
    } else if (server !== this.#server) {
      const epoch = { epoch: this.#epoch, server: this.#server };
      await this.#store.transaction(this.#adapter.chain, (one) => one.setEpoch(epoch));
    }
  }

  /**
   * Applies blocks that follow the last indexed one and commits them. Returns the tokens whose
   * supplies are due but were not read.
   */
  async append(append: BlocksToAppend): Promise<readonly Address[]> {
    const prepared = await this.prepare(append);
    await this.commit(prepared);
    return prepared.missed;
  }

  /**
   * Applies blocks in memory. `commit` must follow, in order; the next batch may be prepared
   * meanwhile. What the batch before has changed is read from memory, so it stays there until it is
   * stored.
   */
  async prepare(append: BlocksToAppend): Promise<PreparedBatch> {
    if (this.#state.isFull) {
      await this.#committing;
      this.#state.trim();
    }
    const untilStored = () => this.#committing;
    await this.#alerts.refresh({ untilStored, findBlock: () => this.block });
    const source = { reader: this.#store, adapter: this.#adapter, signal: append.signal };
    const selected = await this.#selectBlocks(append, source);
    const loadFigures: LoadFigures = (of) => this.#alerts.loadFigures({ ...of, untilStored });
    return await prepareBatch(this.#state, { ...source, loadFigures }, { append, selected });
  }

  async #selectBlocks(append: BlocksToAppend, source: ScopeSource): Promise<SelectedBlocks> {
    const { reading, last } = append;
    const { blocks } = reading;
    if (this.#scope === null) return { blocks, entries: [] };
    // What is in scope depends on the batch before.
    await this.#committing;
    const { startAtMs } = this.#findKeptFrom(blocks[0]?.header ?? last);
    const fromMs = this.#checkpoint?.timestampMs ?? startAtMs ?? 0;
    const read = { blocks, fromBlock: this.block + 1, fromMs, last };
    return await this.#scope.select(read, this.#state, source);
  }

  /** Goes on with alerts from the states that they began with, beside those of the store. */
  resumeAlerts(alerts: readonly { record: AlertRecord; state: AlertState }[]): void {
    for (const { record, state } of alerts) this.#state.alerts.add(record, state);
  }

  /** They decide about no block after the last one. */
  endAlerts(alerts: readonly string[]): void {
    for (const alert of alerts) this.#state.alerts.end(alert, this.block);
  }

  /** Stores a prepared batch, after those before; not at all if one of them fails. */
  commit(prepared: PreparedBatch): Promise<void> {
    this.#committing = this.#committing.then(() => this.#commitPrepared(prepared));
    return this.#committing;
  }

  async #commitPrepared(prepared: PreparedBatch): Promise<void> {
    const { rows, notices, selected } = prepared;
    const { reading, last, finalizedBlock } = prepared.append;
    const base = this.#checkpoint === null && this.#base !== null ? [this.#base] : [];
    const first = reading.blocks[0]?.header ?? last;
    if (this.#checkpoint === null) await this.#retention?.begin(first.timestampMs);
    await this.#commit({
      ...{ fromBlock: this.block + 1, blockCount: reading.blockCount, changes: rows },
      ...{ headers: [...base, ...prepared.append.headers], notices },
      scoped: selected.entries,
      checkpoint: {
        ...{ startBlock: this.#startBlock, block: last.position, blockHash: last.hash },
        ...{ timestampMs: last.timestampMs, finalizedBlock },
        version: (this.#checkpoint?.version ?? 0) + 1,
        ...this.#findKeptFrom(first),
        ...this.#findArchived(prepared.append, first),
        ...(this.#scope === null ? {} : { scope: this.#scope.name }),
      },
    });
    const checkpoint = this.#requireCheckpoint();
    for (const one of [this.journal, this.transfers]) one.record(selected.blocks, checkpoint);
    this.#onIncomplete?.(prepared.incomplete);
    this.#onUnnamed?.(rows.tokens.filter((row) => isSeenUnnamed(row, this.#adapter.assets)));
    await this.retain(rows.trades.length);
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
    const { checkpoint, header } = this.#openTip();
    const from = { reader: this.#store, chain: this.#adapter.chain };
    const stored = await loadStoredTokens(this.#state, from, tokens);
    const entries = stored.filter(({ row }) => isSupplyDue(row, this.#adapter.assets));
    if (entries.length === 0) return [];
    const supplies = await readSupplies(this.#adapter, { entries, header, signal });
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    for (const entry of entries) this.#state.touchToken(entry);
    const missed = setSupplies(entries, supplies, header);
    await this.#commitAtTip({ checkpoint, changes: copyRows(this.#state.takeChanges()) });
    return missed;
  }

  /** Gives tokens what their contracts did not tell before; what they told stays. */
  async addNames(found: readonly TokenMetadata[]): Promise<void> {
    const { checkpoint, header } = this.#openTip();
    const from = { reader: this.#store, chain: this.#adapter.chain };
    const read = new Map(found.map((metadata) => [metadata.token, metadata]));
    const stored = await loadStoredTokens(this.#state, from, [...read.keys()]);
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    for (const entry of stored) {
      const { symbol, name, decimals } = read.get(entry.row.token) ?? entry.row;
      const { row } = entry;
      const isNews =
        (row.symbol === null && symbol !== null) ||
        (row.name === null && name !== null) ||
        (row.decimals === null && decimals !== null);
      if (!isNews) continue;
      this.#state.touchToken(entry);
      row.symbol ??= symbol;
      row.name ??= name;
      row.decimals ??= decimals;
    }
    const changes = copyRows(this.#state.takeChanges());
    if (changes.tokens.length > 0) await this.#commitAtTip({ checkpoint, changes });
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
    const { checkpoint, header } = this.#openTip();
    const { chain } = this.#adapter;
    const source = { reader: this.#store, adapter: this.#adapter, signal };
    await loadPoolRows(this.#state, source, pools);
    const ticks = Map.groupBy(await this.#store.readTicks(chain, pools), ({ pool }) => pool);
    const adoptions = [...pools].sort().flatMap((pool) => {
      const row = this.#state.pools.get(pool)?.row;
      const isDue = row !== undefined && isReadingDue(row, checkpoint.block);
      return isDue && this.#scope?.hasPool(row) !== false ? (buildAdopted(row) ?? []) : [];
    });
    const adopted = new Set(adoptions.map(({ pool }) => pool));
    if (adopted.size === 0) return adopted;
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    applyAdoptions(this.#state, adoptions, ticks);
    const changes = copyRows(this.#state.takeChanges());
    await this.#commitAtTip({ checkpoint, changes, adoptions });
    return adopted;
  }

  async commitBackfill(backfill: BackfillChanges): Promise<void> {
    const changes = await this.#priceToken(backfill);
    const { archived } = backfill;
    const known = this.#requireCheckpoint();
    const checkpoint =
      archived === undefined
        ? known
        : { ...known, archived: addArchived(known.archived, { ...archived, isProved: false }) };
    await this.#commitAtTip({ checkpoint, backfill, changes });
  }

  /** The price may have been set by a trade that is now an outlier, or had no price. */
  async #priceToken({ token, trades = [] }: BackfillChanges): Promise<ChangedRows> {
    if (trades.length === 0) return NO_ROWS;
    const { checkpoint, header } = this.#openTip();
    const { chain } = this.#adapter;
    const [entry] = await loadStoredTokens(this.#state, { reader: this.#store, chain }, [token]);
    if (entry === undefined) return NO_ROWS;
    const { priceNative, priceUsd } = entry.row;
    const known = { priceNative, priceUsd };
    const prices = await findLastPrices(this.#store, { chain, token, known }, trades);
    if (isDeepStrictEqual(prices, known)) return NO_ROWS;
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    this.#state.touchToken(entry);
    Object.assign(entry.row, prices);
    return copyRows(this.#state.takeChanges());
  }

  async joinHolders(holders: JoinedHolders, backfill: BackfillChanges): Promise<void> {
    const { checkpoint, header } = this.#openTip();
    const { token } = holders;
    const { chain } = this.#adapter;
    const [entry] = await loadStoredTokens(this.#state, { reader: this.#store, chain }, [token]);
    if (entry === undefined) throw new Error(`token ${token} is not stored`);
    const owners = await loadHolders(this.#state, this.#store, { chain, token });
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    applyHolders(this.#state, entry, { holders, owners });
    await this.#commitAtTip({ checkpoint, changes: copyRows(this.#state.takeChanges()), backfill });
  }

  /**
   * Adds tokens and pools that are older than the index, as of the last indexed block. Returns the
   * tokens whose supplies could not be read.
   */
  async discover(
    found: Parameters<typeof loadDiscoveries>[2],
    signal: AbortSignal,
  ): Promise<readonly Address[]> {
    const { checkpoint, header } = this.#openTip();
    const source = { reader: this.#store, adapter: this.#adapter, signal };
    await loadDiscoveries(this.#state, source, found);
    const discoveries = pickNew(this.#state, found.discoveries);
    if (discoveries.length === 0) return [];
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    applyDiscoveries(this.#state, discoveries);
    const changes = this.#state.takeChanges();
    const of = { tokens: changes.tokens, header, isRead: true, signal };
    const missed = await renewSupplies(this.#adapter, of);
    await this.#commitAtTip({ checkpoint, changes: copyRows(changes), discoveries });
    return missed;
  }

  /** Tokens of which nothing more is read: what depends on events becomes unknown. */
  async leave(entries: readonly ScopeEntry[], signal: AbortSignal): Promise<void> {
    const { checkpoint, header } = this.#openTip();
    const tokens = entries.map(({ token }) => token);
    const source = { reader: this.#store, adapter: this.#adapter, signal };
    const hasPool = (pool: PoolRecord) => this.#scope?.hasPool(pool) ?? true;
    const pools = await loadLeaving(this.#state, source, { tokens, hasPool });
    this.#state.beginBlock(header, header.position > checkpoint.finalizedBlock);
    applyLeave(this.#state, { tokens, pools });
    for (const { row } of pools) this.journal.forget(row.pool);
    for (const token of tokens) this.transfers.forget(token);
    const scoped = entries.map((entry) => ({ ...entry, leftBlock: checkpoint.block }));
    await this.#commitAtTip({ checkpoint, changes: copyRows(this.#state.takeChanges()), scoped });
  }

  /** Removes every block above `ancestor`. Returns whether the event names all rows it touched. */
  async rollBack(ancestor: BlockHeader): Promise<boolean> {
    const before = this.#requireCheckpoint();
    const { position: block, hash: blockHash, timestampMs } = ancestor;
    const version = before.version + 1;
    const checkpoint: Checkpoint = { ...before, block, blockHash, timestampMs, version };
    // In any case memory holds rows of the abandoned branch.
    this.#state.clear();
    this.#alerts.reset();
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
        const removed = { chain, epoch: this.#epoch, checkpoint, trades, undone, complete };
        return this.#pending.begin(buildRevertedEvent(removed));
      },
    });
    for (const number of this.#headers.keys()) {
      if (number > ancestor.position) this.#headers.delete(number);
    }
    this.#checkpoint = checkpoint;
    this.#adapter.noteRollback?.(checkpoint.block);
    this.#scope?.rollBack(checkpoint.block);
    for (const one of [this.journal, this.transfers]) one.rollBack(checkpoint);
    this.#pending.settle(this.#checkpoint);
    const isToldWhole = this.#touched.isWholeAbove(ancestor.position);
    this.#touched.rollBack(ancestor.position);
    return isToldWhole;
  }

  /** Commits changes that come without a new block. */
  #commitAtTip(batch: Pick<BatchToCommit, 'checkpoint'> & Partial<BatchToCommit>): Promise<void> {
    const { block, version } = batch.checkpoint;
    const checkpoint = { ...batch.checkpoint, version: version + 1 };
    return this.#commit({
      ...{ changes: NO_ROWS, headers: [], fromBlock: block + 1, blockCount: 0 },
      ...{ ...batch, checkpoint },
    });
  }

  async #commit(batch: Omit<BatchToCommit, CommitContext>): Promise<void> {
    const whole = {
      ...{ ...batch, chain: this.#adapter.chain, epoch: this.#epoch, previous: this.#checkpoint },
      server: this.#server,
      alertStates: this.#alerts.planRows(
        batch.changes.alertStates,
        batch.checkpoint.finalizedBlock,
      ),
      newsKeptMs: this.#rollbacksKeptMs,
    };
    await commitBatch(this.#store, whole, this.#pending.begin(buildCommittedEvent(whole)));
    this.#checkpoint = batch.checkpoint;
    this.#state.noteStored(batch.changes);
    this.#scope?.noteCommitted(batch);
    for (const header of batch.headers) this.#headers.set(header.position, header);
    for (const number of this.#headers.keys()) {
      if (number < batch.checkpoint.finalizedBlock) this.#headers.delete(number);
    }
    this.#pending.settle(this.#checkpoint);
  }

  /** The blocks that came from archives, with those of this batch. */
  #findArchived({ reading, last }: BlocksToAppend, first: BlockHeader) {
    const { archive } = reading;
    if (archive === undefined) return {};
    const archived = addArchived(this.#checkpoint?.archived, {
      ...archive,
      ...{ fromBlock: this.block + 1, toBlock: last.position },
      ...{ fromMs: first.timestampMs, toMs: last.timestampMs },
    });
    return { archived };
  }

  /** From when on there are rows: the time of the first indexed block, as far as known. */
  #findKeptFrom(first: BlockHeader) {
    if (this.#checkpoint !== null) return pickKeptFrom(this.#checkpoint);
    return { startAtMs: this.#base?.timestampMs ?? first.timestampMs };
  }

  /** The last commit, and the header of its block, to change rows as of it. */
  #openTip(): { readonly checkpoint: Checkpoint; readonly header: BlockHeader } {
    if (this.#state.isFull) this.#state.trim();
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
