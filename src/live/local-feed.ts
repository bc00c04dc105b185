// The feed within one process.

import type { ChainSlug } from '../model/chain.ts';
import type { Feed, FeedBatch, FeedListener } from './feed.ts';

interface LocalFeedOptions {
  /** Called if a listener throws; the others still get the batch. */
  readonly onError: (error: unknown) => void;
}

export class LocalFeed implements Feed {
  readonly #options: LocalFeedOptions;
  readonly #listeners = new Set<FeedListener>();
  readonly #last = new Map<ChainSlug, Pick<FeedBatch, 'epoch' | 'version'>>();

  constructor(options: LocalFeedOptions) {
    this.#options = options;
  }

  publish(batch: FeedBatch): void {
    const { chain, epoch, version } = batch;
    const last = this.#last.get(chain);
    const isSameIndex = last?.epoch === epoch;
    // A restarted indexer may publish its last commit again.
    if (isSameIndex && version <= last.version) return;
    this.#last.set(chain, { epoch, version });
    const follows = isSameIndex && version === last.version + 1;
    if (!follows) this.#notify((one) => one.onGap(chain));
    this.#notify((one) => one.onBatch(batch));
  }

  /** There are no other processes. */
  async catchUp(): Promise<void> {}

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
