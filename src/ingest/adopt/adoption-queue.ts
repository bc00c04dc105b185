// Pools that wait for adoption: those that clients wait for first, then those that they look at,
// then the deepest.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Backoff, computeBackoffMs, type Random } from '../../lib/retry.ts';
import type { PoolDemand } from '../../model/adoption.ts';
import type { PoolId } from '../../model/ids.ts';

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
