// The feed within one process.

import type { ChainSlug } from '../model/chain.ts';
import type { Feed, FeedBatch, FeedListener } from './feed.ts';

const FIRST_VERSION = 1;

interface LocalFeedOptions {
  /** Called if a listener throws; the others still get the batch. */
  readonly onError: (error: unknown) => void;
}

export class LocalFeed implements Feed {
  readonly #options: LocalFeedOptions;
  readonly #listeners = new Set<FeedListener>();
  readonly #versions = new Map<ChainSlug, number>();

  constructor(options: LocalFeedOptions) {
    this.#options = options;
  }

  publish(batch: FeedBatch): void {
    const { chain, version } = batch;
    const last = this.#versions.get(chain);
    // A restarted indexer may publish its last commit again. Version 1 is not a repetition: the
    // index was rebuilt, for instance for a new devnet.
    if (last !== undefined && version <= last && version !== FIRST_VERSION) return;
    this.#versions.set(chain, version);
    if (last === undefined || version !== last + 1) this.#notify((one) => one.onGap(chain));
    this.#notify((one) => one.onBatch(batch));
  }

  subscribe(listener: FeedListener): () => void {
    // Each subscription is its own, even of one listener twice.
    const own: FeedListener = {
      onBatch: (batch) => listener.onBatch(batch),
      onGap: (chain) => listener.onGap(chain),
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }

  #notify(notify: (listener: FeedListener) => void): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        notify(listener);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }
}
