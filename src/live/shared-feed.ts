// The feed between processes on one store.
//
// Commits of this process are delivered at once. Those of others are read from the store, where
// each was written with its rows, in one transaction: in order, from the last version delivered
// here. A process that was cut off misses nothing while they are kept.

import type { ChainSlug } from '../model/chain.ts';
import type { TradeRecord } from '../model/market-record.ts';
import { parseBatch } from './encode-batch.ts';
import type { Feed, FeedBatch, FeedListener } from './feed.ts';
import { LocalFeed } from './local-feed.ts';

/** A place in a chain's commits; an unknown epoch is the one that the store has. */
interface FeedPlace {
  readonly epoch: string | null;
  readonly version: number;
}

/** Where commits are kept. */
interface FeedSource {
  /** Serialized commits after a place, in order; all of another epoch than the place's. */
  readBatches(chain: ChainSlug, after: FeedPlace, page: FeedPage): Promise<readonly string[]>;
  /** The stored trades of blocks, in chain order; absent if commits always have their trades. */
  readTrades?(
    chain: ChainSlug,
    blocks: { readonly fromBlock: number; readonly toBlock: number },
  ): Promise<readonly TradeRecord[]>;
  /** Calls back for every commit from now on, if possible; the returned function ends that. */
  listen(onNews: (news: FeedNews) => void): () => Promise<void>;
}

interface FeedNews {
  readonly chain: ChainSlug;
  readonly version: number;
  /** The process that committed it. */
  readonly origin: string;
}

interface SharedFeedOptions {
  readonly source: FeedSource;
  /** The name of this process: its own commits need not be read. */
  readonly node: string;
  /** Called if a listener throws, or commits cannot be read. */
  readonly onError: (error: unknown) => void;
}

interface FeedPage {
  readonly countMax: number;
  /** Where this many bytes are reached, no further commit follows. */
  readonly bytesMax: number;
}

/** Commits read at once; those of a backfill may have megabytes. */
const PAGE: FeedPage = { countMax: 20, bytesMax: 4 * 1024 * 1024 };

export class SharedFeed implements Feed {
  readonly #options: SharedFeedOptions;
  readonly #local: LocalFeed;
  readonly #places = new Map<ChainSlug, FeedPlace>();
  /** Reads under way, and whether there was news meanwhile. */
  readonly #reading = new Map<ChainSlug, { hasNews: boolean; done: Promise<void> }>();
  readonly #endListening: () => Promise<void>;
  #isClosed = false;

  constructor(options: SharedFeedOptions) {
    this.#options = options;
    this.#local = new LocalFeed(options);
    this.#endListening = options.source.listen((news) => this.#onNews(news));
  }

  publish(batch: FeedBatch): void {
    const { chain, epoch, version } = batch;
    const place = this.#places.get(chain);
    const isNext = place === undefined || isSuccessor(place, batch);
    if (isNext && !this.#reading.has(chain)) this.#deliver(batch);
    // Commits of another process come before it; the store has this one, too.
    else if (place?.epoch !== epoch || version > place.version) this.#read(chain).catch(ignore);
  }

  catchUp(chain: ChainSlug, afterVersion: number): Promise<void> {
    this.#begin(chain, afterVersion);
    return this.#read(chain);
  }

  subscribe(listener: FeedListener): () => void {
    return this.#local.subscribe(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#endListening();
    await Promise.allSettled(Array.from(this.#reading.values(), ({ done }) => done));
    await this.#local.close();
  }

  #onNews({ chain, version, origin }: FeedNews): void {
    if (origin === this.#options.node) return;
    this.#begin(chain, version - 1);
    this.#read(chain).catch(this.#options.onError);
  }

  #begin(chain: ChainSlug, afterVersion: number): void {
    const place = this.#places.get(chain);
    // Before a commit was delivered, a lower version is of an index begun again; the last one's own
    // notification may come late.
    const isRebuilt = place?.epoch === null && afterVersion + 1 < place.version;
    if (place !== undefined && !isRebuilt) return;
    this.#places.set(chain, { epoch: null, version: afterVersion });
  }

  #read(chain: ChainSlug): Promise<void> {
    const reading = this.#reading.get(chain);
    if (reading !== undefined) {
      reading.hasNews = true;
      return reading.done;
    }
    const next = { hasNews: false, done: Promise.resolve() };
    next.done = this.#readPages(chain, next).finally(() => this.#reading.delete(chain));
    this.#reading.set(chain, next);
    return next.done;
  }

  async #readPages(chain: ChainSlug, reading: { hasNews: boolean }): Promise<void> {
    for (;;) {
      const place = this.#places.get(chain);
      if (place === undefined || this.#isClosed) return;
      reading.hasNews = false;
      const { source } = this.#options;
      const page = await source.readBatches(chain, place, PAGE);
      let bytes = 0;
      for (const text of page) {
        bytes += Buffer.byteLength(text);
        this.#deliver(await parseBatch(text, (blocks) => source.readTrades?.(chain, blocks)));
      }
      const isFull = page.length >= PAGE.countMax || bytes >= PAGE.bytesMax;
      if (!isFull && !reading.hasNews) return;
    }
  }

  #deliver(batch: FeedBatch): void {
    const { chain, epoch, version } = batch;
    this.#places.set(chain, { epoch, version });
    this.#local.publish(batch);
  }
}

function isSuccessor(place: FeedPlace, { epoch, version }: FeedBatch): boolean {
  return place.version + 1 === version && (place.epoch === null || place.epoch === epoch);
}

/** Reported by the next attempt: whoever is behind asks again. */
function ignore(): void {}
