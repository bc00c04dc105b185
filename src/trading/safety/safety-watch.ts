// Probes pools in the background: first those in which a trade has just failed, then requested
// ones, then those whose last probe is old or in doubt, and, if the node is ours, new ones. Pools
// that nobody requests cost no calls. A request waits for it only where a measurement of an earlier
// run would otherwise make it, and not the next one, inexact.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Backoff, computeBackoffMs, type Random, type Sleep } from '../../lib/retry.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolSafety } from '../../model/pool-safety.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { SafetyCache } from '../graph/safety-cache.ts';

/** `unable`: the node cannot simulate with state overrides. */
export type ProbeOutcome =
  | { readonly status: 'measured'; readonly safety: PoolSafety }
  | { readonly status: 'unreached' }
  | { readonly status: 'unable' };

export interface SafetyWatchOptions {
  readonly safetyCache: SafetyCache;
  readonly readGraph: () => PoolGraph | null;
  readonly probe: (pool: PoolId, signal: AbortSignal) => Promise<ProbeOutcome>;
  /** Called for every measurement, with the previous one. */
  readonly onMeasured: (safety: PoolSafety, before: PoolSafety | undefined) => void;
  /** The pause after a probe that nobody waits for, to spare the node. */
  readonly pauseMs: number;
  /** Whether pools that nobody requested are probed, too. */
  readonly probesAll: () => boolean;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly onError: (error: unknown) => void;
}

/** A pool to probe, and the queue that it came from. */
interface Taken {
  readonly pool: PoolId;
  readonly queue: Set<PoolId>;
}

const QUEUE_MAX = 10_000;
const WORKER_COUNT = 2;
/** The pause after a probe that somebody waits for. */
const PAUSE_MS = 5;
const BACKOFF: Backoff = { baseMs: 500, maxMs: 60_000 };
/** Measurements older than this are renewed when the pool is requested. */
const ASKED_DUE_MS = 2 * 60_000;
/** And when the pool is only active: just before the measurement expires. */
const MOVED_DUE_MS = 25 * 60_000;
/** A requested pool is watched for this long. */
const WANTED_MS = 60 * 60_000;
/** A request so soon after one for the same pool is not recorded. */
const ASKED_AGAIN_MS = 1_000;
/** The minimum time between probes of a doubted pool that is requested. */
const DOUBTED_MIN_MS = 5_000;
/** And of one that is not. */
const DOUBTED_UNASKED_MIN_MS = 60_000;
/** How long a pool that could not be reached is not tried again. */
const UNREACHED_MS = 5 * 60_000;
/** How long a request waits for measurements of an earlier run to be renewed. */
const RENEWED_MAX_MS = 1500;
/** How long a node that cannot simulate is not tried again. */
const UNABLE_MS = 10 * 60_000;

export class SafetyWatch {
  readonly #options: SafetyWatchOptions;
  readonly #abort = new AbortController();
  readonly #urgent = new Set<PoolId>();
  readonly #asked = new Set<PoolId>();
  readonly #found = new Set<PoolId>();
  /** Pools that are being probed. */
  readonly #open = new Set<PoolId>();
  /** When a pool was last requested. */
  readonly #askedAtMs = new BoundedMap<PoolId, number>(QUEUE_MAX);
  readonly #triedAtMs = new BoundedMap<PoolId, number>(QUEUE_MAX);
  /** When a pool was last probed because of a doubt. */
  readonly #recheckedAtMs = new BoundedMap<PoolId, number>(QUEUE_MAX);
  #restUntilMs = 0;
  #failures = 0;
  #workers: Promise<void>[] = [];
  /** Settled by the next probe that ends. */
  #nextLook = Promise.withResolvers<void>();
  #isSeeded = false;

  constructor(options: SafetyWatchOptions) {
    this.#options = options;
  }

  /** How many pools are queued. */
  get queued(): number {
    return this.#urgent.size + this.#asked.size + this.#found.size;
  }

  /** Pools that a commit created or changed. */
  onPools(pools: readonly PoolId[]): void {
    const graph = this.#options.readGraph();
    for (const pool of pools) {
      // A pool whose state is unknown cannot be probed; the commit that brings it reports it again.
      const isKnown = graph?.get(pool) !== undefined;
      if (isKnown && this.#isWanted(pool)) this.#add(this.#found, pool);
    }
    this.#seed();
    this.#work();
  }

  /** Pools that were just requested. */
  noteUse(pools: readonly PoolId[]): void {
    this.#want(pools);
    for (const pool of pools) this.#add(this.#asked, pool);
    this.#work();
  }

  /**
   * Resolves once none of the pools waits any more for its measurement of an earlier run to be
   * renewed, and soon in any case.
   */
  async renewed(pools: readonly PoolId[]): Promise<void> {
    const { safetyCache, sleep } = this.#options;
    const isWaiting = (pool: PoolId) =>
      safetyCache.findDoubt(pool) === 'unwatched' &&
      (this.#open.has(pool) || this.#asked.has(pool));
    const isBusy = () => this.#workers.length > 0 && pools.some(isWaiting);
    if (!isBusy()) return;
    const done = new AbortController();
    const late = sleep(RENEWED_MAX_MS, done.signal).then(
      () => true,
      () => true,
    );
    let isLate = false;
    while (!isLate && isBusy()) {
      isLate = await Promise.race([late, this.#nextLook.promise.then(() => false)]);
    }
    done.abort();
  }

  /** Pools that a requested trade could have used. */
  noteAround(pools: readonly PoolId[]): void {
    this.#want(pools);
    this.onPools(pools);
  }

  #want(pools: readonly PoolId[]): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const pool of pools) {
      const knownMs = this.#askedAtMs.get(pool);
      // Each deletion brings V8 closer to rebuilding the map's table.
      if (knownMs !== undefined && nowMs - knownMs < ASKED_AGAIN_MS) continue;
      // Deleted first, so that the oldest request is evicted.
      this.#askedAtMs.delete(pool);
      this.#askedAtMs.set(pool, nowMs);
    }
  }

  #isWanted(pool: PoolId): boolean {
    const { probesAll, clock } = this.#options;
    const askedAtMs = this.#askedAtMs.get(pool) ?? Number.NEGATIVE_INFINITY;
    return probesAll() || clock.monotonicMs() - askedAtMs < WANTED_MS;
  }

  /** Pools whose measurement was just shown to be wrong, or may be. */
  recheck(pools: readonly PoolId[]): void {
    for (const pool of pools) this.#add(this.#urgent, pool);
    this.#work();
  }

  /** Begins with the existing pools, if all are probed. */
  start(): void {
    this.#seed();
    this.#work();
  }

  /** Resolves when the queues are empty, or nothing can be done for now. */
  async settled(): Promise<void> {
    while (this.#workers.length > 0) await Promise.all(this.#workers);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await Promise.allSettled(this.#workers);
  }

  #seed(): void {
    const { probesAll, readGraph } = this.#options;
    const graph = this.#isSeeded || !probesAll() ? null : readGraph();
    if (graph === null) return;
    this.#isSeeded = true;
    for (const { pool } of graph.pools()) this.#add(this.#found, pool);
  }

  #isDue(pool: PoolId, queue: Set<PoolId>): boolean {
    const { safetyCache, clock } = this.#options;
    const known = safetyCache.get(pool);
    const dueMs = queue === this.#found ? MOVED_DUE_MS : ASKED_DUE_MS;
    const isYoung = known !== undefined && clock.nowMs() - known.checkedAtMs < dueMs;
    if (isYoung && !this.#isDoubtDue(pool, queue)) return false;
    const tried = this.#triedAtMs.get(pool);
    return tried === undefined || clock.monotonicMs() - tried >= UNREACHED_MS;
  }

  /** Pools that were only unwatched are probed on request. */
  #isDoubtDue(pool: PoolId, queue: Set<PoolId>): boolean {
    const { safetyCache, clock } = this.#options;
    const doubt = safetyCache.findDoubt(pool);
    if (doubt === null || (doubt === 'unwatched' && queue === this.#found)) return false;
    const last = this.#recheckedAtMs.get(pool);
    const minMs = queue === this.#found ? DOUBTED_UNASKED_MIN_MS : DOUBTED_MIN_MS;
    return last === undefined || clock.monotonicMs() - last >= minMs;
  }

  #add(queue: Set<PoolId>, pool: PoolId): void {
    if (queue.size >= QUEUE_MAX || queue.has(pool)) return;
    // A probe in progress does not clear a doubt that came after it began.
    if (this.#open.has(pool) && queue !== this.#urgent) return;
    if (this.#isDue(pool, queue)) queue.add(pool);
  }

  #take(): Taken | null {
    for (const queue of [this.#urgent, this.#asked, this.#found]) {
      for (const pool of queue) {
        if (this.#open.has(pool) && queue === this.#urgent) continue;
        for (const one of [this.#urgent, this.#asked, this.#found]) one.delete(pool);
        if (this.#isDue(pool, queue) && !this.#open.has(pool)) return { pool, queue };
      }
    }
    return null;
  }

  #work(): void {
    const isResting = this.#options.clock.monotonicMs() < this.#restUntilMs;
    if (isResting || this.#abort.signal.aborted) return;
    while (this.#workers.length < Math.min(WORKER_COUNT, this.queued)) {
      const worker: Promise<void> = this.#run().finally(() => {
        this.#workers = this.#workers.filter((one) => one !== worker);
      });
      this.#workers.push(worker);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { sleep, clock, pauseMs } = this.#options;
    while (!signal.aborted && clock.monotonicMs() >= this.#restUntilMs) {
      const taken = this.#take();
      if (taken === null) return;
      const { pool, queue } = taken;
      this.#open.add(pool);
      await this.#look(taken).finally(() => this.#open.delete(pool));
      this.#nextLook.resolve();
      this.#nextLook = Promise.withResolvers<void>();
      await sleep(queue === this.#found ? pauseMs : PAUSE_MS, signal).catch(() => undefined);
    }
  }

  async #look({ pool, queue }: Taken): Promise<void> {
    const { probe, safetyCache, clock, onMeasured, onError, random } = this.#options;
    const { doubtCount } = safetyCache;
    if (safetyCache.findDoubt(pool) !== null) this.#recheckedAtMs.set(pool, clock.monotonicMs());
    try {
      const outcome = await probe(pool, this.#abort.signal);
      this.#failures = 0;
      if (outcome.status === 'measured') {
        const before = safetyCache.get(pool);
        safetyCache.set(outcome.safety, doubtCount);
        onMeasured(outcome.safety, before);
      } else if (outcome.status === 'unreached') {
        this.#triedAtMs.set(pool, clock.monotonicMs());
      } else {
        this.#restUntilMs = clock.monotonicMs() + UNABLE_MS;
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#failures += 1;
      this.#restUntilMs = clock.monotonicMs() + computeBackoffMs(this.#failures, BACKOFF, random);
      this.#recheckedAtMs.delete(pool);
      queue.add(pool);
      onError(error);
    }
  }
}
