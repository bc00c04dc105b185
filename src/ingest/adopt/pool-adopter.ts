// Adopts pools that are older than the index: reads their whole state from the contracts in the
// background, a page at a time and within a budget, and joins it with the log at a commit.
//
//   queue ── a pool ──▶ journal.watch: from the last indexed block B on, its events are kept
//        ──▶ pages of its state at B ──▶ index.adopt at the tip T: the state at B, then the events
//
// A node that has the newest state only answers with that of a later block S. The reading then
// waits until the index has reached S, and only the events after S are applied. It is void if the
// index has another block at S, or none: the node was on a branch that was left since.
//
// Nothing of a reading is stored before it is complete: after a crash it starts over.

import { kindOf } from '../../amm/pool-kinds.ts';
import { isFeeCertain } from '../../amm/transfer-fee.ts';
import { isUnpriced } from '../../amm/unpriced/unpriced-kind.ts';
import type { ChainAdapter } from '../../chains/adapter.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { pow10 } from '../../lib/decimal.ts';
import { type Backoff, computeBackoffMs, type Random, type Sleep } from '../../lib/retry.ts';
import { runSteps } from '../../lib/run-steps.ts';
import type { AdoptedPool, PoolDemand } from '../../model/adoption.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketReader, MarketScanner } from '../../store/store.ts';
import { CallBudget } from '../read/call-budget.ts';
import type { MarketState, PoolEntry } from '../state/market-state.ts';
import { findAnchorPrice, findUsdPrice } from '../state/price-trade.ts';
import type { AdoptionJournal } from './adoption-journal.ts';
import { PoolReading } from './pool-reading.ts';

// Pools that wait for adoption: those that clients wait for first, then those that they look at,
// then the deepest.

interface QueuedPool {
  readonly demand: PoolDemand;
  /** Roughly the pool's value in USD; below 1 if that is unknown. */
  readonly weight: number;
}

interface Failure {
  readonly count: number;
  readonly notBeforeMs: number;
}

/** Beyond this many the lightest pools are dropped; their next event queues them again. */
const WAITING_MAX = 5_000;
/** The factor by which the queue may exceed its maximum before it is sorted and cut. */
const SLACK = 1.25;
const FAILED_MAX = 10_000;
/**
 * A pool that became incomplete again waits this long after its adoption, unless it is requested:
 * one whose every trade needs a reading must not keep others from theirs.
 */
const REST_MS = 10_000;
const BACKOFF: Backoff = { baseMs: 2_000, maxMs: 600_000 };

const RANKS: Readonly<Record<PoolDemand, number>> = { none: 0, shown: 1, awaited: 2 };

function compare(a: QueuedPool, b: QueuedPool): number {
  return RANKS[b.demand] - RANKS[a.demand] || b.weight - a.weight;
}

function pickStronger(a: PoolDemand, b: PoolDemand): PoolDemand {
  return RANKS[a] > RANKS[b] ? a : b;
}

export class AdoptionQueue {
  readonly #random: Random;
  #waiting = new Map<PoolId, QueuedPool>();
  /** By pool, so that one that keeps failing is not queued again by every event. */
  readonly #failed = new BoundedMap<PoolId, Failure>(FAILED_MAX);

  /** When a pool was adopted last. */
  readonly #adoptedAtMs = new BoundedMap<PoolId, number>(WAITING_MAX);

  constructor(random: Random) {
    this.#random = random;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(pool: PoolId, more: QueuedPool): void {
    const known = this.#waiting.get(pool);
    this.#waiting.set(pool, {
      demand: pickStronger(more.demand, known?.demand ?? 'none'),
      weight: Math.max(more.weight, known?.weight ?? 0),
    });
    if (this.#waiting.size > WAITING_MAX * SLACK) this.#dropLightest();
  }

  /** The next pool that may be tried now; null if there is none. */
  take(nowMs: number): { readonly pool: PoolId; readonly waiting: QueuedPool } | null {
    let best: { readonly pool: PoolId; readonly waiting: QueuedPool } | null = null;
    for (const [pool, waiting] of this.#waiting) {
      if ((this.#failed.get(pool)?.notBeforeMs ?? 0) > nowMs) continue;
      const adoptedAtMs = this.#adoptedAtMs.get(pool);
      const isResting = adoptedAtMs !== undefined && nowMs - adoptedAtMs < REST_MS;
      if (isResting && waiting.demand === 'none') continue;
      if (best === null || compare(waiting, best.waiting) < 0) best = { pool, waiting };
    }
    if (best !== null) this.#waiting.delete(best.pool);
    return best;
  }

  /** Queues it again after a wait that grows with each failure; the result is how many it had. */
  fail(pool: PoolId, waiting: QueuedPool, nowMs: number): number {
    const count = (this.#failed.get(pool)?.count ?? 0) + 1;
    const notBeforeMs = nowMs + computeBackoffMs(count, BACKOFF, this.#random);
    this.#failed.delete(pool);
    this.#failed.set(pool, { count, notBeforeMs });
    this.add(pool, waiting);
    return count;
  }

  succeed(pool: PoolId, nowMs: number): void {
    this.#failed.delete(pool);
    this.#adoptedAtMs.delete(pool);
    this.#adoptedAtMs.set(pool, nowMs);
  }

  /** Adoptions of these pools were undone; null for all. */
  forgetAdopted(pools: readonly PoolId[] | null): void {
    if (pools === null) this.#adoptedAtMs.clear();
    for (const pool of pools ?? []) this.#adoptedAtMs.delete(pool);
  }

  #dropLightest(): void {
    const sorted = [...this.#waiting].sort(([, a], [, b]) => compare(a, b));
    this.#waiting = new Map(sorted.slice(0, WAITING_MAX));
  }
}

// Whether a pool must be read from its chain.

/**
 * If not all is known that can be read, or its tokens may take other fees of transfers than when it
 * was read.
 */
export function isReadingDue(row: PoolRecord, block: number): boolean {
  // Of these nothing can be read: the next swap tells all.
  if (isUnpriced(row)) return false;
  if (!row.complete) return true;
  return !isFeeCertain(kindOf(row).findTransferFees?.(row.state), block);
}

/** Makes pools complete as of the last indexed block; returns those that became complete. */
type Adopt = (
  pools: readonly PoolId[],
  buildAdopted: (row: PoolRecord) => AdoptedPool | null,
) => Promise<ReadonlySet<PoolId>>;

interface PoolAdopterOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketReader & MarketScanner;
  readonly journal: AdoptionJournal;
  /** Average requests to the node per minute. */
  readonly callsPerMinute: number;
  /** Whether the index is near the chain's head: nodes keep the states of the last blocks only. */
  readonly isAtHead: () => boolean;
  /** The hash of an indexed block that is not older than the final one; null if there is none. */
  readonly findHash: (position: number) => string | null;
  /** Whether the events of a pool are indexed: one that is not would be stale at once. */
  readonly isIndexed?: (pool: PoolRecord) => boolean;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: { warn(fields: object, message: string): void };
  /** Called with each pool that was adopted, needs no adoption, or whose adoption failed. */
  readonly onSettled?: (pool: PoolId) => void;
  /** How often to look for work while there is none. */
  readonly idleMs?: number;
}

/** A pool whose events show that it is not complete. */
export interface IncompletePool {
  readonly pool: PoolId;
  /** Roughly its value in USD. */
  readonly depthUsd: number;
}

export interface AdoptionStatus {
  readonly waiting: number;
  readonly adopted: number;
  readonly failed: number;
  readonly calls: number;
}

type WaitingAdoption = Parameters<AdoptionQueue['add']>[1];

interface AdoptionJob {
  readonly waiting: WaitingAdoption;
  readonly blockHash: string;
  readonly reading: PoolReading;
  /** How often the state of its block was lost. */
  readonly losses: number;
}

/** Readings that wait for a commit. */
const READY_MAX = 16;
const LOSSES_MAX = 20;
/** Anyone can initialise ticks: a pool with more than this stays incomplete. */
const TICK_COUNT_MAX = 50_000;
/** Bounds of the calls for one page, whatever the budget; they count if each tick is a call. */
const PAGE_CALLS = { min: 20, max: 400 } as const;
/** Pools touched by a rollback come before others that no client requested. */
const TOUCHED_WEIGHT = Number.MAX_VALUE;

export class PoolAdopter {
  readonly #options: PoolAdopterOptions;
  readonly #queue: AdoptionQueue;
  readonly #budget: CallBudget;
  readonly #abort = new AbortController();
  #job: AdoptionJob | null = null;
  #ready: AdoptionJob[] = [];
  #isScanDue = true;
  #adopted = 0;
  #failed = 0;
  #running: Promise<void> | null = null;

  constructor(options: PoolAdopterOptions) {
    this.#options = options;
    this.#queue = new AdoptionQueue(options.random);
    this.#budget = new CallBudget(options);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  status(): AdoptionStatus {
    const waiting = this.#queue.size + this.#ready.length + (this.#job === null ? 0 : 1);
    const { spent: calls } = this.#budget;
    return { waiting, adopted: this.#adopted, failed: this.#failed, calls };
  }

  /** Pools that a client requested; complete ones are dropped when their turn comes. */
  ask(pools: readonly PoolId[], demand: PoolDemand): void {
    const { anchorPools } = this.#options.adapter.assets;
    for (const pool of pools) {
      // The values of the others depend on them.
      const weight = anchorPools.includes(pool) ? Number.MAX_VALUE : 0;
      this.#queue.add(pool, { demand, weight });
    }
  }

  note(pools: readonly IncompletePool[]): void {
    for (const { pool, depthUsd } of pools) {
      this.#queue.add(pool, { demand: 'none', weight: 1 + depthUsd });
    }
  }

  /** A rollback may have undone adoptions of these pools; null if it is unknown which. */
  noteRollback(pools: readonly PoolId[] | null): void {
    if (pools === null) this.#isScanDue = true;
    this.#queue.forgetAdopted(pools);
    const weight = TOUCHED_WEIGHT;
    for (const pool of pools ?? []) this.#queue.add(pool, { demand: 'none', weight });
  }

  /** Must be called between two commits; false if there was nothing to adopt. */
  async commit(adopt: Adopt): Promise<boolean> {
    const { journal } = this.#options;
    const isDue = ({ reading }: AdoptionJob) => reading.stateBlock <= journal.tipBlock;
    const due = this.#ready.filter(isDue);
    if (due.length === 0) return false;
    this.#ready = this.#ready.filter((job) => !isDue(job));
    const isOfBranch = ({ reading }: AdoptionJob) => reading.isOfBranch(this.#options.findHash);
    for (const job of due.filter((one) => !isOfBranch(one))) this.#readAgain(job);
    const kept = due.filter(isOfBranch);
    if (kept.length === 0) return false;
    const jobs = new Map(kept.map((job) => [job.reading.row.pool, job]));
    let adopted: ReadonlySet<PoolId> = new Set();
    try {
      adopted = await adopt([...jobs.keys()], (row) => {
        const reading = jobs.get(row.pool)?.reading;
        const events = reading === undefined ? null : journal.read(row.pool, reading.block);
        return events === null ? null : (reading?.join(row, events) ?? null);
      });
    } finally {
      for (const [pool, job] of jobs) {
        if (adopted.has(pool)) this.#succeed(pool);
        else this.#fail(job, 'what was read does not fit the log');
      }
    }
    return true;
  }

  #run(): Promise<void> {
    const { log, adapter } = this.#options;
    return runSteps(() => this.#step(), {
      ...this.#options,
      signal: this.#abort.signal,
      onError: (error) =>
        log.warn({ chain: adapter.chain, err: error }, 'a pool could not be read'),
    });
  }

  /** True if there may be more to do at once. */
  async #step(): Promise<boolean> {
    if (!this.#options.isAtHead() || this.#ready.length >= READY_MAX) return false;
    if (this.#isScanDue) await this.#scan();
    this.#job ??= await this.#begin();
    if (this.#job === null) return false;
    await this.#budget.wait(this.#abort.signal);
    await this.#readPage(this.#job);
    return true;
  }

  /** Queues the store's incomplete pools, which have had no event in this process yet. */
  async #scan(): Promise<void> {
    const { store, adapter } = this.#options;
    this.#isScanDue = false;
    try {
      for await (const rows of store.scanIncompletePools(adapter.chain)) {
        this.#abort.signal.throwIfAborted();
        for (const { pool, lastSwapAtMs } of rows) {
          // The latest first, but after all pools whose depth is known.
          const weight = (lastSwapAtMs ?? 0) / Number.MAX_SAFE_INTEGER;
          this.#queue.add(pool, { demand: 'none', weight });
        }
      }
    } catch (error) {
      this.#isScanDue = true;
      throw error;
    }
  }

  async #begin(): Promise<AdoptionJob | null> {
    const { store, adapter, journal, clock } = this.#options;
    for (;;) {
      const next = this.#queue.take(clock.nowMs());
      if (next === null) return null;
      const { pool, waiting } = next;
      if (this.#ready.some(({ reading }) => reading.row.pool === pool)) continue;
      const [row] = await store.readPools(adapter.chain, [pool]);
      const isWanted = row !== undefined && this.#options.isIndexed?.(row) !== false;
      const tip = isWanted && (await this.#isDue(row)) ? journal.watch(pool) : null;
      if (!isWanted || tip === null) {
        // Somebody may wait for it.
        this.#options.onSettled?.(pool);
        continue;
      }
      const reading = new PoolReading(row, tip.block);
      return { waiting, reading, blockHash: tip.blockHash, losses: 0 };
    }
  }

  async #isDue(row: PoolRecord): Promise<boolean> {
    const { store, adapter } = this.#options;
    const checkpoint = await store.readCheckpoint(adapter.chain);
    return checkpoint !== null && isReadingDue(row, checkpoint.block);
  }

  async #readPage(job: AdoptionJob): Promise<void> {
    const { adapter, journal, callsPerMinute } = this.#options;
    const { reading } = job;
    const { row: description, covered, block: position } = reading;
    if (adapter.readPoolPage === undefined || journal.read(description.pool, position) === null) {
      return this.#restart(job);
    }
    const callCountMax = Math.min(PAGE_CALLS.max, Math.max(PAGE_CALLS.min, callsPerMinute));
    const at = { position, hash: job.blockHash };
    const query = { description, covered, callCountMax };
    const outcome = await adapter.readPoolPage(query, at, this.#abort.signal);
    this.#budget.spend(outcome.callCount);
    if (outcome.kind === 'blockGone') return this.#moveOn(job);
    this.#job = null;
    if (outcome.kind === 'noAnswer') return this.#fail(job, 'its contract does not answer');
    reading.add(outcome.page);
    if (reading.stateBlock > position) journal.noteLater(description.pool, reading.stateBlock);
    if (reading.tickCount > TICK_COUNT_MAX) return this.#fail(job, 'it has too many ticks');
    if (reading.isWhole) this.#ready.push(job);
    else this.#job = job;
  }

  /** The branch was abandoned, or events are missing: the pool is read again from the start. */
  #restart(job: AdoptionJob): void {
    this.#job = null;
    this.#readAgain(job);
  }

  #readAgain({ reading, waiting }: AdoptionJob): void {
    const { pool } = reading.row;
    this.#options.journal.forget(pool);
    this.#queue.add(pool, waiting);
  }

  /** The node has pruned the state of the block: the reading continues at the tip. */
  #moveOn(job: AdoptionJob): void {
    const { journal } = this.#options;
    const { reading, losses } = job;
    const { pool } = reading.row;
    const events = journal.read(pool, reading.block);
    const tip = events === null ? null : journal.watch(pool);
    this.#job = null;
    if (events === null || tip === null) {
      this.#restart(job);
      return;
    }
    const isSame = tip.blockHash === job.blockHash;
    const moved = isSame ? null : reading.moveTo(tip.block, events);
    if (moved === null || losses >= LOSSES_MAX) {
      this.#fail(job, 'the node has no state of its block');
    } else {
      this.#job = { ...job, reading: moved, blockHash: tip.blockHash, losses: losses + 1 };
    }
  }

  #succeed(pool: PoolId): void {
    this.#adopted += 1;
    this.#queue.succeed(pool, this.#options.clock.nowMs());
    this.#options.journal.forget(pool);
    this.#options.onSettled?.(pool);
  }

  #fail(job: AdoptionJob, reason: string): void {
    const { journal, log, adapter, clock } = this.#options;
    const { pool } = job.reading.row;
    this.#failed += 1;
    journal.forget(pool);
    const failures = this.#queue.fail(pool, job.waiting, clock.nowMs());
    // The first one is common, as blocks go on meanwhile: nobody needs to know.
    if (failures > 1) {
      log.warn({ chain: adapter.chain, pool, reason, failures }, 'a pool could not be adopted');
    }
    this.#options.onSettled?.(pool);
  }
}

// Finds the incomplete pools among those that a batch changed, with their approximate value.

/** What a constant product holds for a unit that it pays until its price has fallen by 2 %. */
const HELD_PER_DEPTH = 100n;
const NO_TICKS = { get: () => undefined, change: () => true, order: [] } as const;

/** What the pool would pay near its price, from its current liquidity. */
function computeDepthUsd(state: MarketState, pool: PoolEntry): number {
  const view = pool.views[0];
  const quote = view === undefined ? undefined : state.tokens.get(view.quote);
  if (view === undefined || quote === undefined || quote.row.decimals === null) return 0;
  const price = findUsdPrice(quote, findAnchorPrice(state));
  if (price === null) return 0;
  const base = view.baseIsToken0 ? 'token0' : 'token1';
  const kind = kindOf(pool.row);
  const held = kind.holdings(pool.row.state);
  const heldQuote = (view.baseIsToken0 ? held?.amount1 : held?.amount0) ?? 0n;
  // Vaults prove no depth, but tell which of the unknown pools to read first.
  const raw = kind.payableRaw(pool.row, base, NO_TICKS) || heldQuote / HELD_PER_DEPTH;
  return Number((raw * price.numerator) / (price.denominator * pow10(quote.row.decimals)));
}

export function findIncomplete(
  state: MarketState,
  pools: readonly PoolEntry[],
): readonly IncompletePool[] {
  const found: IncompletePool[] = [];
  for (const entry of pools) {
    if (entry.row.complete) continue;
    found.push({ pool: entry.row.pool, depthUsd: computeDepthUsd(state, entry) });
  }
  return found;
}
