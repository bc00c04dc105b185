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
import { findAncestor } from '../read/find-ancestor.ts';
import { findFinalized } from '../read/find-finalized.ts';
import { type RangePiece, readAhead } from '../read/read-ahead.ts';
import { ChainInconsistentError, FinalityError } from '../state/chain-errors.ts';
import { appendAhead } from './append-ahead.ts';
import { ChainIndex } from './chain-index.ts';
import type { BlocksToAppend } from './chain-index-options.ts';
import type { IndexerOptions } from './indexer-options.ts';
import { SideReads } from './side-reads.ts';
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
  /**
   * When the last indexed block was last known to be the chain's newest, by the monotonic clock;
   * null if it never was. Until the next block is due that is now.
   */
  readonly currentAtMs: number | null;
  readonly error?: string;
  /** That the endpoints' rate cannot carry the chain, and which would; absent if it can. */
  readonly shortage?: string;
}

/** How many reorganisable blocks are read and committed at once. */
const LINKED_BLOCK_COUNT_MAX = 200;

/**
 * On chains with instant finality a short pause counts as history; up to this many blocks are still
 * searched for notices.
 */
const SEARCHED_BLOCK_COUNT_MAX = 100;

/** Some errors have a text of their own each time. */
const TOLD_ERRORS_MAX = 5;

/** How often the head is read during a long backfill, for the status. */
const HEAD_REFRESH_MS = 10_000;

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #index: ChainIndex;
  readonly #supplies: SupplyBacklog;
  readonly #side: SideReads;
  readonly #abort = new AbortController();
  #phase: 'starting' | 'backfilling' | 'following' = 'starting';
  #isLoaded = false;
  #head: ChainHead | null = null;
  #headReadAtMs = 0;
  #failures = 0;
  #error: Error | null = null;
  /** What was logged since indexing last worked; every retry may fail in the same way. */
  readonly #toldErrors = new Set<string>();
  #lastProgressAtMs: number;
  #headMovedAtMs: number;
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
      onCommitted: (event) => this.#onCommitted(event),
      onIncomplete: (pools) => this.#side.noteIncomplete(pools),
    });
    this.#supplies = new SupplyBacklog({
      ...options,
      update: (tokens) => this.#index.updateSupplies(tokens, this.#abort.signal),
    });
    this.#side = new SideReads(options, {
      index: this.#index,
      isAtHead: () => this.#isLoaded && this.#phase === 'following',
      onSuppliesMissed: (tokens) => this.#supplies.add(tokens),
    });
  }

  start(): void {
    this.#running ??= this.#run();
    this.#side.start();
  }

  /** Resolves when nothing runs any more; a batch is either committed as a whole or not at all. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#side.stop();
    await this.#running;
  }

  /** Pools that a client requested: they are adopted first. */
  adopt(pools: readonly PoolId[], demand: PoolDemand): void {
    this.#side.adopt(pools, demand);
  }

  /** Looks up a token that a client asked for; never rejects. */
  lookUp(token: Address): Promise<LookupOutcome> {
    return this.#side.lookUp(token);
  }

  adoption(): AdoptionStatus | null {
    return this.#side.adoption();
  }

  lookups(): LookupStatus | null {
    return this.#side.lookups();
  }

  /** Fills in the token's history from before the first indexed block. */
  request(token: Address, caller?: string): void {
    this.#side.requestHistory(token, caller);
  }

  backfill(): BackfillProgress | null {
    return this.#side.backfill();
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
      currentAtMs: this.#isWaiting ? this.#options.clock.monotonicMs() : this.#currentAtMs,
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
        if (!hasMore) await this.#waitForHead(isAtHead);
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

  async #waitForHead(isAtHead: boolean): Promise<void> {
    const { adapter, pollIntervalMs, sleep, clock } = this.#options;
    const { signal } = this.#abort;
    // While it is slowed down, the wait says nothing about the chain.
    this.#isWaiting = isAtHead && !this.#isSlowed();
    try {
      await (adapter.waitForHead?.(pollIntervalMs, signal) ?? sleep(pollIntervalMs, signal));
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
    if (head.finalizedBlock > this.#index.block) {
      this.#phase = 'backfilling';
      return await this.#backfill(head);
    }
    this.#phase = 'following';
    return await this.#follow(head);
  }

  #noteHead(head: ChainHead): void {
    const nowMs = this.#options.clock.nowMs();
    if (head.latest.hash !== this.#head?.latest.hash) this.#headMovedAtMs = nowMs;
    this.#head = head;
    this.#headReadAtMs = nowMs;
  }

  /** Final blocks need neither links nor undo images. */
  async #backfill(head: ChainHead): Promise<boolean> {
    const { adapter, sizes, scope } = this.#options;
    const { signal } = this.#abort;
    if (!(await this.#isOnBranch())) return await this.#reorganise();
    const { block, checkpoint } = this.#index;
    const pieces = readAhead({
      ...{ adapter, sizes, fromBlock: block + 1, toBlock: head.finalizedBlock },
      searched: checkpoint !== null && head.finalizedBlock - block <= SEARCHED_BLOCK_COUNT_MAX,
      scope,
      signal,
    });
    await appendAhead(this.#index, this.#planAppends(pieces), async () => {
      signal.throwIfAborted();
      if (await scope?.isOutdated()) return false;
      if (this.#options.clock.nowMs() - this.#headReadAtMs > HEAD_REFRESH_MS) {
        this.#noteHead(await adapter.readHead(signal));
      }
      return true;
    });
    // The supplies of everything that history touched are due now.
    this.#supplies.forget();
    return true;
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
      return (await this.#appendHead(head)) || (await this.#side.commit(signal));
    }
    if (await this.#side.commit(signal)) return true;
    // A source behind our index has nothing new: it lags, or was reset.
    if (head.latest.position < block) return false;
    if (tip !== null && head.latest.hash !== tip.hash) return await this.#reorganise();
    this.#noteProgress();
    const finalizedBlock = await this.#findFinalized(head, []);
    if (finalizedBlock > (this.#index.checkpoint?.finalizedBlock ?? finalizedBlock)) {
      await this.#index.setFinalized(finalizedBlock);
    }
    if (this.#index.checkpoint !== null) await this.#index.retain();
    return await this.#supplies.catchUp();
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
    const missed = await this.#index.append({
      reading,
      headers: reading.headers,
      last,
      finalizedBlock: await this.#findFinalized(head, reading.headers),
      // Older states may already be gone; skipped supplies are read at the head.
      withSupplies: last.position === head.latest.position,
      signal,
    });
    this.#supplies.add(missed);
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
      this.#side.noteRollback(event);
    }
    try {
      this.#options.onCommitted(event);
    } catch (error) {
      // The blocks are stored; a failing listener must not make us apply them again.
      this.#options.log.warn({ chain: event.chain, err: error }, 'a listener failed');
    }
  }
}
