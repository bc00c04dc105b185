// Supplies that were skipped during backfill or could not be read; they are read at the head.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Address } from '../../model/ids.ts';
import type { MarketScanner } from '../../store/store.ts';
import { findSuppliesDue } from '../apply/supplies.ts';
import { SupplyReadError } from '../state/chain-errors.ts';

interface SupplyBacklogOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketScanner;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: { warn(fields: object, message: string): void };
  /** Reads supplies and stores them; returns the tokens whose supply could not be read. */
  readonly update: (tokens: readonly Address[]) => Promise<readonly Address[]>;
}

/** How many supplies are read at once. */
const SUPPLY_COUNT_MAX = 500;
const RETRY_AFTER_MS = 30_000;

/** The maximum of due tokens in memory; after a long backfill there may be millions. */
const DUE_COUNT_MAX = 20_000;

export class SupplyBacklog {
  readonly #options: SupplyBacklogOptions;
  /** Tokens whose supply is due without a new block that touches them; null until looked up. */
  #due: Set<Address> | null = null;
  /** Whether there may be more in the store. */
  #hasMore = false;
  #notBeforeMs = 0;

  constructor(options: SupplyBacklogOptions) {
    this.#options = options;
  }

  add(tokens: readonly Address[]): void {
    for (const token of tokens) {
      if (this.#due === null) return;
      if (this.#due.size < DUE_COUNT_MAX) this.#due.add(token);
      else this.#hasMore = true;
    }
  }

  /** Forgets which are due; they are looked up again. */
  forget(): void {
    this.#due = null;
  }

  /** True when there is more to do at once. */
  async catchUp(): Promise<boolean> {
    const { adapter, store, log, clock } = this.#options;
    if (clock.nowMs() < this.#notBeforeMs) return false;
    if (this.#due === null) {
      this.#due = await findSuppliesDue(store, adapter, DUE_COUNT_MAX);
      this.#hasMore = this.#due.size === DUE_COUNT_MAX;
    }
    const tokens = [...this.#due].slice(0, SUPPLY_COUNT_MAX);
    if (tokens.length === 0) return false;
    let missed: readonly Address[];
    try {
      missed = await this.#options.update(tokens);
    } catch (error) {
      if (!(error instanceof SupplyReadError)) throw error;
      this.#notBeforeMs = clock.nowMs() + RETRY_AFTER_MS;
      log.warn({ chain: adapter.chain, err: error }, 'supplies could not be read');
      return false;
    }
    for (const token of tokens) this.#due.delete(token);
    if (missed.length > 0) {
      this.add(missed);
      this.#notBeforeMs = clock.nowMs() + RETRY_AFTER_MS;
      return false;
    }
    if (this.#due.size > 0) return true;
    if (this.#hasMore) this.#due = null;
    return this.#hasMore;
  }
}
