// Stores probe results, so that neither a restart nor another process probes all pools again.

import type { Clock } from '../../lib/clock.ts';
import { startPolling } from '../../lib/start-polling.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolSafety } from '../../model/pool-safety.ts';
import type { MarketStore } from '../../store/store.ts';
import type { SafetyCache } from '../graph/safety-cache.ts';

export interface SafetyKeeperOptions {
  readonly chain: ChainSlug;
  readonly store: Pick<MarketStore, 'putPoolSafety' | 'scanPoolSafety' | 'readPoolSafetySince'>;
  /** Whether other processes probe, too. */
  readonly isShared: boolean;
  readonly safetyCache: SafetyCache;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly onError: (error: unknown) => void;
}

/** Written in batches, so that probing many pools does not cause many transactions. */
const WRITE_MS = 1000;
/** Results that cannot be written are dropped above this number; they can be measured again. */
const PENDING_MAX = 10_000;
const SHARED_POLL_MS = 2000;
/** How much the clocks of two processes may differ, with the time that a probe takes. */
const CLOCKS_APART_MS = 5000;
/** Results that arrive later than this after their probe are no promise. */
const NOTES_MAX = 30;

/** How many doubts there were at a time. */
interface DoubtNote {
  readonly atMs: number;
  readonly doubtCount: number;
}

export class SafetyKeeper {
  readonly #options: SafetyKeeperOptions;
  #pending = new Map<PoolId, PoolSafety>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** The last ones first. */
  #notes: readonly DoubtNote[] = [];
  #lookedAtMs: number | null = null;
  #stopPolling: (() => Promise<void>) | null = null;

  constructor(options: SafetyKeeperOptions) {
    this.#options = options;
  }

  /** Loads stored results into the cache; newer ones already in the cache stay. */
  async load(): Promise<void> {
    const { store, chain, safetyCache, onError } = this.#options;
    try {
      for await (const rows of store.scanPoolSafety(chain)) {
        for (const row of rows)
          if (safetyCache.get(row.pool) === undefined) safetyCache.restore(row);
      }
    } catch (error) {
      onError(error);
    }
  }

  /** Takes over what other processes measure from now on. */
  start(): void {
    const { isShared, onError } = this.#options;
    if (!isShared) return;
    this.#stopPolling = startPolling(() => this.poll(), { everyMs: SHARED_POLL_MS, onError });
  }

  async poll(): Promise<void> {
    const { store, chain, safetyCache, clock } = this.#options;
    const nowMs = clock.nowMs();
    const { doubtCount } = safetyCache;
    const sinceMs = (this.#lookedAtMs ?? nowMs) - 2 * CLOCKS_APART_MS;
    for (const safety of await store.readPoolSafetySince(chain, sinceMs)) {
      const known = safetyCache.get(safety.pool);
      if (known !== undefined && known.checkedAtMs >= safety.checkedAtMs) continue;
      // It clears the doubts that were certainly there before its probe began.
      const note = this.#notes.find(({ atMs }) => atMs + CLOCKS_APART_MS < safety.checkedAtMs);
      if (note === undefined) safetyCache.restore(safety);
      else safetyCache.set(safety, note.doubtCount);
    }
    this.#lookedAtMs = nowMs;
    this.#notes = [{ atMs: nowMs, doubtCount }, ...this.#notes.slice(0, NOTES_MAX - 1)];
  }

  keep(safety: PoolSafety): void {
    if (this.#pending.size < PENDING_MAX) this.#pending.set(safety.pool, safety);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, WRITE_MS);
  }

  /** Resolves when the results so far are written, or cannot be. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    await this.#stopPolling?.();
    await this.flush();
  }

  async #write(): Promise<void> {
    const { store, chain, onError } = this.#options;
    const rows = this.#pending;
    if (rows.size === 0) return;
    this.#pending = new Map();
    try {
      await store.putPoolSafety(chain, [...rows.values()]);
    } catch (error) {
      for (const [pool, safety] of rows) {
        if (!this.#pending.has(pool)) this.#pending.set(pool, safety);
      }
      onError(error);
    }
  }
}
