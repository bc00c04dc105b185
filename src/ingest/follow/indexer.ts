// Follows one chain: backfill first, then block by block, through failures and reorganisations.

import type { ChainHead } from '../../chains/adapter.ts';
import { computeBackoffMs } from '../../lib/retry.ts';
import type { PoolDemand } from '../../model/adoption.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { LookupOutcome } from '../../model/lookup-outcome.ts';
import type { AdoptionStatus } from '../adopt/pool-adopter.ts';
import type { BackfillProgress } from '../backfill/backfiller.ts';
import type { CommittedEvent } from '../commit/commit-batch.ts';
import type { LookupStatus } from '../demand/token-lookups.ts';
import { checkReading } from '../read/check-reading.ts';
import { findAncestor, findFinalized } from '../read/find-ancestor.ts';
import { type RangePiece, readAhead } from '../read/read-ahead.ts';
import { ChainInconsistentError, FinalityError } from '../state/chain-errors.ts';
import { appendAhead } from './append-ahead.ts';
import { BackgroundJobs } from './background-jobs.ts';
import { ChainIndex } from './chain-index.ts';
import type { BlocksToAppend } from './chain-index-options.ts';
import { HistoryPace } from './history-pace.ts';
import type { IndexerOptions } from './indexer-options.ts';
import { NameBacklog } from './name-backlog.ts';
import { SupplyBacklog } from './supply-backlog.ts';

type IndexerState = 'starting' | 'backfilling' | 'following' | 'stalled' | 'failed';

export interface IndexerStatus {
  readonly chain: ChainSlug;
  readonly state: IndexerState;
  /** The newest known block of the chain; null before the first response. */
  readonly head: number | null;
  /** The last indexed block; null before the first commit. */
  readonly block: number | null;
  readonly finalized: number | null;
  /** How much older the last indexed block is than the head. */
  readonly lagMs: number | null;
  readonly lastProgressAtMs: number;
  /** How many blocks were read near the head since the start; absent if none was. */
  readonly followedBlocks?: number;
  /**
   * When the last indexed block was last known to be the chain's newest, by the monotonic clock;
   * null if it never was. Until the next block is due that is now.
   */
  readonly currentAtMs: number | null;
  /** How long the rest of the history takes at the rate so far; absent if that is unknown. */
  readonly historyLeftMs?: number;
  /** That rate, where it is known. */
  readonly historyBlocksPerSecond?: number;
  readonly error?: string;
  /** That the endpoints' rate cannot carry the chain, and which would; absent if it can. */
  readonly shortage?: string;
}

/**
 * How many blocks are read linked and committed at once. An index no further behind follows,
 * whatever is final by now: on a fast chain more is final after every cycle, so history would never
 * end.
 */
const LINKED_BLOCK_COUNT_MAX = 200;

/**
 * Supplies are read no more often: where blocks come faster, that would be a call for each reading
 * of them. They are read behind the blocks then.
 */
const SUPPLIES_EACH_MS = 1800;

/** Some errors have a text of their own each time. */
const TOLD_ERRORS_MAX = 5;

/** How long history is read until the head is read again, and what was read beside it stored. */
const HISTORY_SLICE_MS = 10_000;

/** After so long behind the head, what needs no state of an old block is read all the same. */
const SIDE_WAIT_MS = 60_000;

const DAY_MS = 86_400_000;

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #index: ChainIndex;
  readonly #supplies: SupplyBacklog;
  readonly #names: NameBacklog;
  readonly #jobs: BackgroundJobs;
  readonly #history = new HistoryPace();
  readonly #abort = new AbortController();
  #phase: 'starting' | 'backfilling' | 'following' = 'starting';
  #isLoaded = false;
  #followedBlocks = 0;
  #head: ChainHead | null = null;
  /** Since when history is read; null while the index follows. */
  #behindSinceMs: number | null = null;
  #failures = 0;
  #error: Error | null = null;
  /** What was logged since indexing last worked; every retry may fail in the same way. */
  readonly #toldErrors = new Set<string>();
  #lastProgressAtMs: number;
  #headMovedAtMs: number;
  #appendedAtMs = Number.NEGATIVE_INFINITY;
  #suppliesAtMs = Number.NEGATIVE_INFINITY;
  #currentAtMs: number | null = null;
  /** Whether the index has the newest block, and the next one is not due yet. */
  #isWaiting = false;
  #running: Promise<void> | null = null;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#lastProgressAtMs = options.clock.nowMs();
    this.#headMovedAtMs = this.#lastProgressAtMs;
    this.#index = new ChainIndex({
      adapter: options.adapter,
      store: options.store,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      clock: options.clock,
      rollbacksKeptMs: options.rollbacksKeptMs,
      retention: options.retention,
      scope: options.scope,
      onRetentionError: (err) => options.log.warn({ err }, 'old rows could not be deleted'),
      onNewEpoch: (went) =>
        options.log.warn(
          { chain: options.adapter.chain, ...went },
          'another server has taken over and may lack commits: a new epoch begins',
        ),
      onCommitted: (event) => this.#onCommitted(event),
      onIncomplete: (pools) => this.#jobs.noteIncomplete(pools),
      onUnnamed: (rows) => this.#names.note(rows.map(({ token }) => token)),
    });
    this.#names = new NameBacklog({
      ...options,
      findBlock: () => this.#index.block,
      update: async (found) => {
        await this.#index.addNames(found);
        this.#jobs.noteNamed(found);
      },
    });
    this.#supplies = new SupplyBacklog({
      ...options,
      update: (tokens) => this.#index.updateSupplies(tokens, this.#abort.signal),
    });
    this.#jobs = new BackgroundJobs(options, {
      index: this.#index,
      isAtHead: () => this.#isLoaded && (this.#phase === 'following' || this.#hasWaited()),
      onSuppliesMissed: (tokens) => this.#supplies.add(tokens),
    });
  }

  start(): void {
    this.#running ??= this.#run();
    this.#jobs.start();
  }

  /** Resolves when nothing runs any more; a batch is either committed as a whole or not at all. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#jobs.stop();
    await this.#running;
  }

  /** Pools that a client requested: they are adopted first. */
  adopt(pools: readonly PoolId[], demand: PoolDemand): void {
    this.#jobs.adopt(pools, demand);
  }

  /** Looks up a token that a client asked for; never rejects. */
  lookUp(token: Address): Promise<LookupOutcome> {
    this.#names.note([token]);
    return this.#jobs.lookUp(token);
  }

  adoption(): AdoptionStatus | null {
    return this.#jobs.adoption();
  }

  lookups(): LookupStatus | null {
    return this.#jobs.lookups();
  }

  /** Fills in the token's history from before the first indexed block. */
  request(token: Address, caller?: string): void {
    this.#jobs.requestHistory(token, caller);
  }

  backfill(): BackfillProgress | null {
    return this.#jobs.backfill();
  }

  status(): IndexerStatus {
    const { checkpoint } = this.#index;
    const latest = this.#head?.latest ?? null;
    // While it is slowed down, the head is read seldom; its own time is older than it seems.
    const newestMs = this.#isSlowed() ? this.#options.clock.nowMs() : (latest?.timestampMs ?? 0);
    return {
      chain: this.#options.adapter.chain,
      state: this.#judgeState(),
      head: latest?.position ?? null,
      block: checkpoint?.block ?? null,
      finalized: checkpoint?.finalizedBlock ?? null,
      lagMs:
        latest === null || checkpoint === null
          ? null
          : Math.max(0, newestMs - checkpoint.timestampMs),
      lastProgressAtMs: this.#lastProgressAtMs,
      followedBlocks: this.#followedBlocks,
      currentAtMs: this.#isWaiting ? this.#options.clock.monotonicMs() : this.#currentAtMs,
      ...(this.#history.leftMs === null
        ? {}
        : {
            historyLeftMs: this.#history.leftMs,
            historyBlocksPerSecond: this.#history.blocksPerSecond,
          }),
      ...(this.#error === null ? {} : { error: this.#error.message }),
    };
  }

  #judgeState(): IndexerState {
    const { stallAfterMs, headStallAfterMs, failureCountMax, clock } = this.#options;
    if (this.#error instanceof FinalityError || this.#failures >= failureCountMax) return 'failed';
    const nowMs = clock.nowMs();
    if (this.#isSlowed()) return this.#phase;
    if (nowMs - this.#lastProgressAtMs > stallAfterMs) return 'stalled';
    if (headStallAfterMs !== null && nowMs - this.#headMovedAtMs > headStallAfterMs) {
      return 'stalled';
    }
    return this.#phase;
  }

  #isSlowed(): boolean {
    return (this.#options.adapter.status?.().slowed ?? null) !== null;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        const startedAtMs = clock.monotonicMs();
        const hasMore = await this.#step();
        if (this.#failures > 0) this.#endFailure();
        const isAtHead = this.#index.tip?.hash === this.#head?.latest.hash;
        if (isAtHead) this.#currentAtMs = startedAtMs;
        if (!hasMore) await this.#waitForHead(isAtHead, clock.monotonicMs() - startedAtMs);
      } catch (error) {
        if (signal.aborted) return;
        await this.#recover(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  #endFailure(): void {
    const { log, adapter } = this.#options;
    log.info({ chain: adapter.chain, failures: this.#failures }, 'indexing works again');
    this.#failures = 0;
    this.#error = null;
    this.#toldErrors.clear();
  }

  async #waitForHead(isAtHead: boolean, spentMs: number): Promise<void> {
    const { adapter, pollIntervalMs, sleep, clock } = this.#options;
    const { signal } = this.#abort;
    // While it is slowed down, the wait says nothing about the chain.
    this.#isWaiting = isAtHead && !this.#isSlowed();
    try {
      await (adapter.waitForHead?.(pollIntervalMs, signal) ??
        sleep(Math.max(0, pollIntervalMs - spentMs), signal));
    } finally {
      if (this.#isWaiting) this.#currentAtMs = clock.monotonicMs();
      this.#isWaiting = false;
    }
  }

  /** After a failure nothing in memory is trusted; the state is loaded from the store. */
  async #recover(error: Error): Promise<void> {
    const { backoff, random, log, adapter, sleep } = this.#options;
    this.#failures += 1;
    this.#error = error;
    this.#isLoaded = false;
    this.#supplies.forget();
    const waitMs = computeBackoffMs(this.#failures, backoff, random);
    const { chain } = adapter;
    if (this.#toldErrors.size < TOLD_ERRORS_MAX && !this.#toldErrors.has(error.message)) {
      this.#toldErrors.add(error.message);
      log.warn({ chain, err: error, failures: this.#failures, waitMs }, 'indexing failed');
    }
    try {
      await sleep(waitMs, this.#abort.signal);
    } catch (interrupted) {
      if (!this.#abort.signal.aborted) throw interrupted;
    }
  }

  /** One unit of work; true if there is more to do at once. */
  async #step(): Promise<boolean> {
    const { adapter, startBlock } = this.#options;
    const { signal } = this.#abort;
    if (!this.#isLoaded) {
      await this.#index.load(startBlock, signal);
      this.#isLoaded = true;
    }
    const leaving = (await this.#options.scope?.refresh()) ?? [];
    if (leaving.length > 0) await this.#index.leave(leaving, signal);
    const head = await adapter.readHead(signal);
    this.#noteHead(head);
    if (this.#isHistory(head)) {
      this.#phase = 'backfilling';
      this.#behindSinceMs ??= this.#options.clock.nowMs();
      if (!(await this.#backfill(head))) return true;
    }
    this.#phase = 'following';
    this.#behindSinceMs = null;
    this.#history.end();
    return await this.#follow(head);
  }

  #isHistory({ latest, finalizedBlock }: ChainHead): boolean {
    const { checkpoint, block } = this.#index;
    const isNear = checkpoint !== null && latest.position - block <= LINKED_BLOCK_COUNT_MAX;
    return finalizedBlock > block && !isNear;
  }

  /** Whether the index is behind for long, on a chain whose state is read at the head anyway. */
  #hasWaited(): boolean {
    const { adapter, clock } = this.#options;
    if (adapter.hasNewestStateOnly !== true || this.#behindSinceMs === null) return false;
    return clock.nowMs() - this.#behindSinceMs > SIDE_WAIT_MS;
  }

  #noteHead(head: ChainHead): void {
    if (head.latest.hash !== this.#head?.latest.hash) {
      this.#headMovedAtMs = this.#options.clock.nowMs();
    }
    this.#head = head;
  }

  /** Final blocks need neither links nor undo images. True if all of them are indexed now. */
  async #backfill(head: ChainHead): Promise<boolean> {
    const { adapter, sizes, scope, clock } = this.#options;
    const { signal } = this.#abort;
    if (!(await this.#isOnBranch())) {
      await this.#reorganise();
      return false;
    }
    const endAtMs = clock.nowMs() + HISTORY_SLICE_MS;
    const pieces = readAhead({
      ...{ adapter, sizes, fromBlock: this.#index.block + 1, toBlock: head.finalizedBlock },
      isOver: () => clock.nowMs() > endAtMs,
      scope,
      signal,
    });
    await appendAhead(this.#index, this.#planAppends(pieces), async ({ missed }) => {
      signal.throwIfAborted();
      this.#noteHistory(head.finalizedBlock);
      this.#supplies.add(missed);
      return (await scope?.isOutdated()) !== true;
    });
    if (this.#index.block >= head.finalizedBlock) {
      // The supplies of everything that history touched are due now.
      this.#supplies.forget();
      return true;
    }
    await this.#jobs.commit(signal);
    if (this.#hasWaited()) await this.#catchUp();
    return false;
  }

  #noteHistory(toBlock: number): void {
    const { clock, log, adapter } = this.#options;
    this.#history.observe({ block: this.#index.block, toBlock, nowMs: clock.nowMs() });
    if (!this.#history.isNews()) return;
    const { leftMs, blocksPerSecond } = this.#history;
    const fields = { chain: adapter.chain, days: Math.round((leftMs ?? 0) / DAY_MS) };
    log.warn(
      { ...fields, blocksPerSecond: Number(blocksPerSecond.toPrecision(2)) },
      'history takes over a week at this rate: `mintwire plan` says what limits it',
    );
  }

  async *#planAppends(pieces: AsyncIterable<RangePiece>): AsyncGenerator<BlocksToAppend> {
    for await (const { reading, last } of pieces) {
      const at = { headers: [last], last, finalizedBlock: last.position };
      yield { ...at, reading, withSupplies: false, signal: this.#abort.signal };
    }
  }

  /** Whether the chain still has our last block. */
  async #isOnBranch(): Promise<boolean> {
    const { tip, block } = this.#index;
    if (tip === null) return true;
    const header = await this.#options.adapter.readHeader(block, this.#abort.signal);
    if (header === null)
      throw new ChainInconsistentError(`the chain's source has no block ${block}`);
    return header.hash === tip.hash;
  }

  async #follow(head: ChainHead): Promise<boolean> {
    const { signal } = this.#abort;
    const { block, tip } = this.#index;
    // Blocks first: there may always be something else to commit.
    if (head.latest.position > block) {
      const hasMore = (await this.#appendHead(head)) || (await this.#jobs.commit(signal));
      return hasMore || (await this.#catchUp());
    }
    if (await this.#jobs.commit(signal)) return true;
    // A source behind our index has nothing new: it lags, or was reset.
    if (head.latest.position < block) return false;
    if (tip !== null && head.latest.hash !== tip.hash) return await this.#reorganise();
    this.#noteProgress();
    const finalizedBlock = await this.#findFinalized(head, []);
    if (finalizedBlock > (this.#index.checkpoint?.finalizedBlock ?? finalizedBlock)) {
      await this.#index.setFinalized(finalizedBlock);
    }
    if (this.#index.checkpoint !== null) await this.#index.retain();
    return await this.#catchUp();
  }

  /** What was not read with its block; true when there is more to do at once. */
  async #catchUp(): Promise<boolean> {
    await this.#names.catchUp(this.#abort.signal);
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#suppliesAtMs < SUPPLIES_EACH_MS) return false;
    this.#suppliesAtMs = nowMs;
    const hasMore = await this.#supplies.catchUp();
    if (hasMore) this.#suppliesAtMs = Number.NEGATIVE_INFINITY;
    return hasMore;
  }

  /** Reads the next blocks up to the head and appends them if they link to ours. */
  async #appendHead(head: ChainHead): Promise<boolean> {
    const { adapter, sizes, scope } = this.#options;
    const { signal } = this.#abort;
    const { tip, block } = this.#index;
    const wanted = { fromBlock: block + 1, toBlock: head.latest.position, linked: true };
    const { eventCountMax } = sizes;
    const limits = { blockCountMax: LINKED_BLOCK_COUNT_MAX, eventCountMax };
    const range = { ...wanted, ...limits, ...scope?.describeRange() };
    const reading = await adapter.readBlocks(range, signal);
    scope?.noteRead(reading.blocks);
    const first = reading.headers[0];
    if (tip !== null && first !== undefined && first.parentHash !== tip.hash) {
      return await this.#reorganise();
    }
    checkReading(reading, wanted);
    const last = reading.headers.at(-1);
    if (last === undefined) throw new ChainInconsistentError('no headers were returned');
    const nowMs = this.#options.clock.monotonicMs();
    const isFast = nowMs - this.#appendedAtMs < SUPPLIES_EACH_MS;
    this.#appendedAtMs = nowMs;
    const missed = await this.#index.append({
      reading,
      headers: reading.headers,
      last,
      finalizedBlock: await this.#findFinalized(head, reading.headers),
      // Older states may already be gone; skipped supplies are read at the head.
      withSupplies: !isFast && last.position === head.latest.position,
      signal,
    });
    this.#supplies.add(missed);
    this.#followedBlocks += last.position - block;
    return last.position < head.latest.position;
  }

  #findFinalized(head: ChainHead, added: readonly BlockHeader[]): Promise<number> {
    const { adapter } = this.#options;
    return findFinalized({ adapter, head, index: this.#index, added, signal: this.#abort.signal });
  }

  /** The chain has left our branch: rolls back to the common ancestor. */
  async #reorganise(): Promise<boolean> {
    const { adapter, log } = this.#options;
    const { checkpoint, headers } = this.#index;
    if (checkpoint === null) {
      // Nothing is stored yet, so there is nothing to roll back.
      this.#isLoaded = false;
      return true;
    }
    const { signal } = this.#abort;
    const ancestor = await findAncestor({ adapter, checkpoint, stored: headers, signal });
    const depth = checkpoint.block - ancestor.position;
    log.warn({ chain: adapter.chain, depth, block: ancestor.position }, 'reorganisation');
    // Rows that went back may have an older supply than their balances now.
    if (!(await this.#index.rollBack(ancestor))) this.#supplies.forget();
    return true;
  }

  #noteProgress(): void {
    this.#lastProgressAtMs = this.#options.clock.nowMs();
  }

  #onCommitted(event: CommittedEvent): void {
    this.#noteProgress();
    if (event.reverted !== undefined) {
      this.#supplies.add(event.tokens);
      this.#jobs.noteRollback(event);
    }
    try {
      this.#options.onCommitted(event);
    } catch (error) {
      // The blocks are stored; a failing listener must not make us apply them again.
      this.#options.log.warn({ chain: event.chain, err: error }, 'a listener failed');
    }
  }
}
