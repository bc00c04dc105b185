// Pools that no listed factory vouches for wait here to be judged, one after another and far from
// the head: following the chain never waits for a probe. Nothing is probed while a daily budget
// slows the chain down.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Sleep } from '../../../lib/retry.ts';
import type { PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { Log } from '../../rpc/rpc-client.ts';
import type { ForkFinder, ForkJudgement } from './fork-finder.ts';

interface ForkQueueOptions {
  readonly finder: Pick<ForkFinder, 'judge' | 'forgetAbove'>;
  readonly accept: (description: PoolDescription) => void;
  /** Takes back what was accepted. */
  readonly forget: (pool: PoolId) => void;
  /** Whether the chain is read more slowly than possible, to keep within a daily budget. */
  readonly isSlowed: () => boolean;
  readonly sleep: Sleep;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
}

interface Judged {
  /** When it may be judged again, by the monotonic clock. */
  readonly againAtMs: number;
  /** The block whose state was judged. */
  readonly block: number;
  readonly isAccepted: boolean;
}

/** Further ones are dropped; they are heard of again when they trade. */
const WAITING_MAX = 256;
/** How many judged pools are remembered. */
const JUDGED_MAX = 50_000;
/** Between two probes. */
const PAUSE_MS = 3_000;
/** After a fault of the node, or if it cannot run probes. */
const FAULT_PAUSE_MS = 300_000;
/** How often a queue that waits for the daily budget looks whether it may go on. */
const SLOWED_PAUSE_MS = 60_000;
const JUDGE_MS = 60_000;
/** A pool that is not accepted yet may be judged again after this time. */
const NOT_NOW_MS = 3_600_000;

export class ForkQueue {
  readonly #options: ForkQueueOptions;
  readonly #waiting = new Set<PoolId>();
  readonly #judged = new BoundedMap<PoolId, Judged>(JUDGED_MAX);
  readonly #abort = new AbortController();
  /** Ends the judgement under way when its block may be gone. */
  #undo = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: ForkQueueOptions) {
    this.#options = options;
  }

  /** Pools that swapped, and that no venue claims. */
  add(pools: Iterable<PoolId>): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const pool of pools) {
      if (this.#waiting.size >= WAITING_MAX) break;
      if ((this.#judged.get(pool)?.againAtMs ?? nowMs) <= nowMs) this.#waiting.add(pool);
    }
    if (this.#waiting.size === 0 || this.#abort.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** The blocks above this one are gone: what was judged by them may be judged again. */
  forgetAbove(position: number): void {
    this.#undo.abort();
    this.#undo = new AbortController();
    this.#options.finder.forgetAbove(position);
    for (const [pool, { block, isAccepted }] of this.#judged) {
      if (block <= position) continue;
      this.#judged.delete(pool);
      if (isAccepted) this.#options.forget(pool);
    }
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
    const pause = (ms: number) => this.#options.sleep(ms, signal).catch(() => undefined);
    for (const pool of this.#waiting) {
      while (this.#options.isSlowed() && !signal.aborted) await pause(SLOWED_PAUSE_MS);
      if (signal.aborted) return;
      const isDone = await this.#judge(pool);
      this.#waiting.delete(pool);
      if (signal.aborted) return;
      if (this.#waiting.size === 0 && isDone) return;
      await pause(isDone ? PAUSE_MS : FAULT_PAUSE_MS);
      if (signal.aborted) return;
    }
  }

  /** False if nothing was found out. */
  async #judge(pool: PoolId): Promise<boolean> {
    const { finder, log } = this.#options;
    const undo = this.#undo.signal;
    const limits = [this.#abort.signal, undo, AbortSignal.timeout(JUDGE_MS)];
    try {
      const judgement = await finder.judge(pool, AbortSignal.any(limits));
      if (judgement.kind === 'unable') return false;
      // A pool whose block is gone is heard of again when it trades.
      if (!undo.aborted) this.#keep(pool, judgement);
      return true;
    } catch (error) {
      if (undo.aborted) return true;
      if (!this.#abort.signal.aborted) {
        log.warn({ pool, err: error }, 'a pool of an unlisted factory could not be judged');
      }
      return false;
    }
  }

  #keep(pool: PoolId, judgement: ForkJudgement): void {
    const { accept, clock } = this.#options;
    const { kind, block } = judgement;
    const againAtMs =
      kind === 'notNow' ? clock.monotonicMs() + NOT_NOW_MS : Number.POSITIVE_INFINITY;
    const isAccepted = kind === 'accepted';
    this.#judged.set(pool, { againAtMs, block, isAccepted });
    if (isAccepted && !this.#abort.signal.aborted) accept(judgement.description);
  }
}
