// Stores probe results, so that a restart need not probe all pools again.

import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolSafety } from '../../model/pool-safety.ts';
import type { MarketStore } from '../../store/store.ts';
import type { SafetyBook } from '../graph/safety-book.ts';

export interface SafetyKeeperOptions {
  readonly chain: ChainSlug;
  readonly store: Pick<MarketStore, 'putPoolSafety' | 'scanPoolSafety'>;
  readonly book: SafetyBook;
  readonly onError: (error: unknown) => void;
}

/** Written in batches, so that probing many pools does not cause many transactions. */
const WRITE_MS = 1000;
/** Results that cannot be written are dropped above this number; they can be measured again. */
const PENDING_MAX = 10_000;

export class SafetyKeeper {
  readonly #options: SafetyKeeperOptions;
  #pending = new Map<PoolId, PoolSafety>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SafetyKeeperOptions) {
    this.#options = options;
  }

  /** Loads stored results into the book; newer ones already in the book stay. */
  async load(): Promise<void> {
    const { store, chain, book, onError } = this.#options;
    try {
      for await (const rows of store.scanPoolSafety(chain)) {
        for (const row of rows) if (book.get(row.pool) === undefined) book.restore(row);
      }
    } catch (error) {
      onError(error);
    }
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
