// Pools that no listed factory vouches for wait here to be judged, one after another and far from
// the head: following the chain never waits for a probe.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Sleep } from '../../../lib/retry.ts';
import type { PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { Log } from '../../rpc/rpc-client.ts';
import type { ForkFinder } from './fork-finder.ts';

interface ForkQueueOptions {
  readonly finder: Pick<ForkFinder, 'judge'>;
  readonly accept: (description: PoolDescription) => void;
  readonly sleep: Sleep;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
}

/** Further ones are dropped; they are heard of again when they trade. */
const WAITING_MAX = 256;
/** How many judged pools are remembered. */
const JUDGED_MAX = 50_000;
/** Between two probes. */
const PAUSE_MS = 3_000;
/** After a fault of the node, or if it cannot run probes. */
const FAULT_PAUSE_MS = 300_000;
const JUDGE_MS = 60_000;
/** A pool that is not accepted yet may be judged again after this time. */
const NOT_NOW_MS = 3_600_000;

export class ForkQueue {
  readonly #options: ForkQueueOptions;
  readonly #waiting = new Set<PoolId>();
  /** When each may be judged again, by the monotonic clock. */
  readonly #judged = new BoundedMap<PoolId, number>(JUDGED_MAX);
  readonly #abort = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: ForkQueueOptions) {
    this.#options = options;
  }

  /** Pools that swapped, and that no venue claims. */
  add(pools: Iterable<PoolId>): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const pool of pools) {
      if (this.#waiting.size >= WAITING_MAX) break;
      if ((this.#judged.get(pool) ?? nowMs) <= nowMs) this.#waiting.add(pool);
    }
    if (this.#waiting.size === 0 || this.#abort.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when nothing waits. */
  async settled(): Promise<void> {
    await this.#running;
  }

  close(): void {
    this.#abort.abort();
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { sleep } = this.#options;
    for (const pool of this.#waiting) {
      const isDone = await this.#judge(pool);
      this.#waiting.delete(pool);
      if (signal.aborted) return;
      if (this.#waiting.size === 0 && isDone) return;
      await sleep(isDone ? PAUSE_MS : FAULT_PAUSE_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  /** False if nothing was found out. */
  async #judge(pool: PoolId): Promise<boolean> {
    const { finder, accept, clock, log } = this.#options;
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(JUDGE_MS)]);
    try {
      const judgement = await finder.judge(pool, signal);
      if (judgement.kind === 'unable') return false;
      const isFinal = judgement.kind !== 'notNow';
      this.#judged.set(pool, isFinal ? Number.POSITIVE_INFINITY : clock.monotonicMs() + NOT_NOW_MS);
      if (judgement.kind === 'pair' && !this.#abort.signal.aborted) accept(judgement.description);
      return true;
    } catch (error) {
      if (!this.#abort.signal.aborted) {
        log.warn({ pool, err: error }, 'a pool of an unlisted factory could not be judged');
      }
      return false;
    }
  }
}
