// The last known commit of each chain, and what each commit changed.
//
// The feed updates it; polling the store finds commits that the feed has lost.

import type { Clock } from '../../lib/clock.ts';
import { startPolling } from '../../lib/start-polling.ts';
import type { Feed, FeedBatch } from '../../live/feed.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, KeptFrom } from '../../model/market-record.ts';
import type { MarketReader } from '../../store/store.ts';

/** A commit of a chain. `'all'` if the changed tokens are unknown. */
export interface StateChange {
  readonly chain: ChainSlug;
  readonly checkpoint: Checkpoint;
  readonly tokens: readonly Address[] | 'all';
  /** Of those, the tokens that are new, gone or whose pools changed. */
  readonly listed: readonly Address[] | 'all';
  /** The commit itself, if it follows the last one and is complete. */
  readonly batch: FeedBatch | null;
}

type StateListener = (change: StateChange) => void;

interface ChainStatesOptions {
  readonly reader: Pick<MarketReader, 'readCheckpoint'>;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly listChains: () => readonly ChainSlug[];
  readonly onError: (error: unknown) => void;
}

/** The poll interval, and how long the feed may be behind the store. */
const LOOK_MS = 500;
const FEED_DELAY_MAX_MS = 1000;

function isKeptAlike(a: KeptFrom, b: KeptFrom): boolean {
  return a.tradesFromMs === b.tradesFromMs && a.candlesFromMs === b.candlesFromMs;
}

export class ChainStates {
  readonly #options: ChainStatesOptions;
  readonly #current = new Map<ChainSlug, Checkpoint>();
  readonly #listeners = new Set<StateListener>();
  /** Since when the store has been ahead of the feed. */
  readonly #aheadSince = new Map<ChainSlug, number>();
  #unsubscribe: (() => void) | null = null;
  #stopPolling: (() => Promise<void>) | null = null;

  constructor(options: ChainStatesOptions) {
    this.#options = options;
  }

  /** The last commit that this process knows; null before the first. */
  current(chain: ChainSlug): Checkpoint | null {
    return this.#current.get(chain) ?? null;
  }

  subscribe(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#options.feed.subscribe({
      onBatch: (batch) => this.#hear(batch),
      // A batch after a gap is recognised by its version.
      onGap: () => undefined,
    });
    await this.look();
    const { onError } = this.#options;
    this.#stopPolling = startPolling(() => this.look(), { everyMs: LOOK_MS, onError });
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#stopPolling?.();
  }

  /** Compares with the store: finds new chains and lost commits. */
  async look(): Promise<void> {
    for (const chain of this.#options.listChains()) {
      const stored = await this.#options.reader.readCheckpoint(chain);
      const known = this.current(chain);
      if (stored === null || (known !== null && stored.version <= known.version)) {
        this.#aheadSince.delete(chain);
        continue;
      }
      const nowMs = this.#options.clock.monotonicMs();
      const sinceMs = this.#aheadSince.get(chain) ?? nowMs;
      this.#aheadSince.set(chain, sinceMs);
      if (known !== null && nowMs - sinceMs < FEED_DELAY_MAX_MS) continue;
      this.#step({ chain, checkpoint: stored, tokens: 'all', listed: 'all', batch: null });
    }
  }

  #hear(batch: FeedBatch): void {
    const { chain, checkpoint } = batch;
    const known = this.current(chain);
    // Version 1 is never old: the chain's index was rebuilt, as a devnet's can be.
    if (known !== null && batch.version <= known.version && batch.version !== 1) return;
    const isWhole = batch.complete && known !== null && batch.version === known.version + 1;
    if (!isWhole) {
      this.#step({ chain, checkpoint, tokens: 'all', listed: 'all', batch: null });
      return;
    }
    // A pool's row may change without its tokens' rows; a new retention floor affects every token.
    const tokens = isKeptAlike(known, checkpoint)
      ? [...new Set([...batch.tokens, ...batch.listed])]
      : 'all';
    this.#step({ chain, checkpoint, tokens, listed: batch.listed, batch });
  }

  #step(change: StateChange): void {
    this.#current.set(change.chain, change.checkpoint);
    this.#aheadSince.delete(change.chain);
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }
}
