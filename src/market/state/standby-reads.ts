// Reads from a standby, where it is not behind what this process has told of the chain.
//
// The standby's first answer must be correct: whatever goes wrong, or is not found there, is read
// from the primary, which a caller does not notice.

import type { Clock } from '../../lib/clock.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketStandby, MarketStore } from '../../store/store.ts';
import type { ChainStates } from './chain-states.ts';

interface StandbyReadsOptions {
  readonly standby: MarketStandby;
  readonly states: Pick<ChainStates, 'findAnnounced'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A commit that an answer has named. */
interface AnnouncedCommit {
  readonly epoch: string;
  readonly version: number;
}

/** How long callers wait for the standby's checkpoint. */
const CHECK_MS = 1000;
/** A chain is not looked for again on a standby that has just been behind. */
const BEHIND_PAUSE_MS = 50;

export class StandbyReads {
  readonly #options: StandbyReadsOptions;
  /** The newest of answers that were ahead of the feed. */
  readonly #announced = new Map<ChainSlug, AnnouncedCommit>();
  readonly #pausedUntilMs = new Map<ChainSlug, number>();
  readonly counts = { used: 0, behind: 0, failed: 0 };

  constructor(options: StandbyReadsOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#options.standby.isUp;
  }

  /** Reads as of one commit; null if that must be read from the primary. */
  async read<T>(
    chain: ChainSlug,
    work: (store: MarketStore, checkpoint: Checkpoint) => Promise<T>,
  ): Promise<{ readonly value: T; readonly checkpoint: Checkpoint } | null> {
    const { standby, clock } = this.#options;
    if (!standby.isUp || (this.#pausedUntilMs.get(chain) ?? 0) > clock.monotonicMs()) return null;
    try {
      const checkpoint = await this.#findCheckpoint(chain);
      if (checkpoint === null) return null;
      const value = await work(standby.market, checkpoint);
      const after = await standby.market.readCheckpoint(chain);
      // What was not found may have been committed a moment ago: the primary knows.
      if (value === null || after?.version !== checkpoint.version) return null;
      this.counts.used += 1;
      return { value, checkpoint };
    } catch {
      // The primary says whether it is the caller's fault.
      this.counts.failed += 1;
      return null;
    }
  }

  /** An answer names this commit: none after it is read behind it. */
  noteAnnounced(chain: ChainSlug, { version }: Checkpoint): void {
    const announced = this.#findAnnounced(chain);
    if (announced === null || version <= announced.version) return;
    this.#announced.set(chain, { epoch: announced.epoch, version });
  }

  #findAnnounced(chain: ChainSlug): AnnouncedCommit | null {
    const current = this.#options.states.findAnnounced(chain);
    const ahead = this.#announced.get(chain);
    if (current === null || ahead === undefined || ahead.epoch !== current.epoch) return current;
    return ahead.version > current.version ? ahead : current;
  }

  /** The standby's commit; null if it is behind, or of another index. */
  async #findCheckpoint(chain: ChainSlug): Promise<Checkpoint | null> {
    const { market } = this.#options.standby;
    const announced = this.#findAnnounced(chain);
    if (announced === null) return null;
    const reading = Promise.all([market.readEpoch(chain), market.readCheckpoint(chain)]);
    const [epoch, checkpoint] = await this.#inTime(reading);
    const isBehind =
      epoch?.epoch !== announced.epoch || (checkpoint?.version ?? 0) < announced.version;
    if (!isBehind) return checkpoint;
    this.counts.behind += 1;
    this.#pausedUntilMs.set(chain, this.#options.clock.monotonicMs() + BEHIND_PAUSE_MS);
    return null;
  }

  async #inTime<T>(reading: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#options.standby.noteSlow();
      late.reject(new Error('The standby did not answer in time'));
    }, CHECK_MS);
    // One that is late may fail, too.
    reading.catch(() => undefined);
    try {
      return await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
