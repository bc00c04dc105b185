// Fees that pools charge and no log tells, of the pools that quotes use: read in the background
// while they are used, never by a request.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { DirectionFees } from '../../amm/swap-pool.ts';
import type { PoolFeeQuery } from '../../chains/chain-nodes.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PoolId } from '../../model/ids.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';

interface PoolFeeWatchOptions {
  readonly readFees: (
    pools: readonly PoolFeeQuery[],
    signal: AbortSignal,
  ) => Promise<readonly (DirectionFees | null)[]>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called with each pool whose fee is another than before. */
  readonly onChanged: (pool: PoolId) => void;
  readonly onError: (error: unknown) => void;
}

interface FeeReading {
  readonly fees: DirectionFees;
  /** The fee that the index had then: a reading says nothing about a later one. */
  readonly ownPips: number;
  readonly readAtMs: number;
}

interface UsedPool {
  readonly query: PoolFeeQuery;
  readonly ownPips: number;
  readonly usedAtMs: number;
}

const POLL_MS = 1000;
/** How often the fees of pools in use are read. */
const EVERY_MS = 10_000;
/** A fee that was read this short a time ago is sure. */
const SURE_MS = 25_000;
/** A pool that no quote used for this long is not read any more. */
const USED_MS = 120_000;
/** One request each time; of more pools only the last ones are read. */
const POOLS_MAX = 100;
const READINGS_MAX = 1_000;

/** Whether a fee may change without a log, as far as the chain's family can read it. */
function mayChangeSilently(pool: GraphPool): boolean {
  return kindOf(pool).hasSilentFee?.(pool.terms, pool.unchecked ?? '') === true;
}

function toQuery({ pool, kind, venue, token0, token1, curve }: GraphPool): PoolFeeQuery {
  return { pool, kind, venue, token0, token1, isStable: curve.isStable ?? null };
}

export class PoolFeeWatch {
  readonly #options: PoolFeeWatchOptions;
  readonly #abort = new AbortController();
  readonly #used = new Map<PoolId, UsedPool>();
  readonly #readings = new BoundedMap<PoolId, FeeReading>(READINGS_MAX);
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: PoolFeeWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.poll(), POLL_MS);
    this.#timer.unref();
  }

  /** Pools that a quote used. */
  note(pools: readonly GraphPool[]): void {
    const usedAtMs = this.#options.clock.monotonicMs();
    for (const pool of pools) {
      if (!mayChangeSilently(pool)) continue;
      // A new fee of the index is compared at once.
      const known = this.#used.get(pool.pool);
      const isNew = known === undefined || known.ownPips !== pool.feePips;
      if (isNew) this.#triedAtMs = Number.NEGATIVE_INFINITY;
      this.#used.delete(pool.pool);
      this.#used.set(pool.pool, { query: toQuery(pool), ownPips: pool.feePips, usedAtMs });
    }
    for (const pool of this.#used.keys()) {
      if (this.#used.size <= POOLS_MAX) break;
      this.#used.delete(pool);
    }
  }

  /** What the pool charges, as read last; null if the index has heard of another fee since. */
  find({ pool, feePips }: GraphPool): DirectionFees | null {
    const reading = this.#readings.get(pool);
    return reading?.ownPips === feePips ? reading.fees : null;
  }

  /** Whether the index has the fee that was read lately; null if logs tell it. */
  isSure(pool: GraphPool): boolean | null {
    if (!mayChangeSilently(pool)) return null;
    const reading = this.#readings.get(pool.pool);
    if (reading === undefined || reading.ownPips !== pool.feePips) return false;
    const { zeroForOne, oneForZero } = reading.fees;
    const isSame = zeroForOne === pool.feePips && oneForZero === pool.feePips;
    return isSame && this.#options.clock.monotonicMs() - reading.readAtMs <= SURE_MS;
  }

  /** Reads from the node if due. */
  poll(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#reading !== null || this.#abort.signal.aborted) return;
    for (const [pool, { usedAtMs }] of this.#used) {
      if (nowMs - usedAtMs > USED_MS) this.#used.delete(pool);
    }
    if (this.#used.size === 0 || nowMs - this.#triedAtMs < EVERY_MS) return;
    this.#triedAtMs = nowMs;
    this.#reading = this.#refresh([...this.#used.values()]).finally(() => {
      this.#reading = null;
    });
  }

  async settled(): Promise<void> {
    await this.#reading;
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#abort.abort();
    await this.#reading;
  }

  async #refresh(used: readonly UsedPool[]): Promise<void> {
    const { readFees, clock, onChanged, onError } = this.#options;
    // A fee may change while the node answers.
    const readAtMs = clock.monotonicMs();
    try {
      const queries = used.map(({ query }) => query);
      const answers = await readFees(queries, this.#abort.signal);
      for (const [index, { query, ownPips }] of used.entries()) {
        const fees = answers[index] ?? null;
        const before = this.#readings.get(query.pool)?.fees;
        this.#readings.delete(query.pool);
        if (fees !== null) this.#readings.set(query.pool, { fees, ownPips, readAtMs });
        const isSame =
          before?.zeroForOne === fees?.zeroForOne && before?.oneForZero === fees?.oneForZero;
        if (!isSame) onChanged(query.pool);
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) onError(error);
    }
  }
}
