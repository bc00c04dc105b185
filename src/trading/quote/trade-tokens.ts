// Rows of traded tokens, cached until the feed reports a change.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { FeedBatch } from '../../live/feed.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';

const TOKENS_MAX = 20_000;

export class TradeTokens {
  readonly #chain: ChainSlug;
  readonly #store: MarketStore;
  readonly #rows = new BoundedMap<Address, TokenRecord>(TOKENS_MAX);
  /** Counts feed batches, so that a row read before a batch is not cached after it. */
  #heard = 0;

  constructor(chain: ChainSlug, store: MarketStore) {
    this.#chain = chain;
    this.#store = store;
  }

  onBatch(batch: FeedBatch): void {
    this.#heard += 1;
    if (!batch.complete) this.#rows.clear();
    for (const token of batch.tokens) this.#rows.delete(token);
    for (const token of batch.listed) this.#rows.delete(token);
  }

  forget(): void {
    this.#heard += 1;
    this.#rows.clear();
  }

  /** The stored ones, by address. */
  async read(tokens: readonly Address[]): Promise<ReadonlyMap<Address, TokenRecord>> {
    const found = new Map<Address, TokenRecord>();
    const missing: Address[] = [];
    for (const token of tokens) {
      const row = this.#rows.get(token);
      if (row === undefined) missing.push(token);
      else found.set(token, row);
    }
    if (missing.length === 0) return found;
    const heard = this.#heard;
    for (const row of await this.#store.readTokens(this.#chain, missing)) {
      found.set(row.token, row);
      if (heard === this.#heard) this.#rows.set(row.token, row);
    }
    return found;
  }
}
