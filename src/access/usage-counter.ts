// Counts requests in memory and stores the counts periodically, so that no request waits for the
// store.

import type { Clock } from '../lib/clock.ts';
import type { WalletId } from '../model/ids.ts';
import { type AccessStore, SESSION_SOURCE, type UsageEntry } from '../store/access-store.ts';

/**
 * Keys and wallets that can be counted between two flushes; above this new ones are not counted.
 */
const ENTRIES_MAX = 10_000;

interface PendingUsage {
  readonly walletId: WalletId;
  readonly source: string;
  requests: number;
  lastUsedAtMs: number;
}

export class UsageCounter {
  readonly #store: AccessStore;
  readonly #clock: Clock;
  /** By the id of a key, or of the wallet whose sessions are counted together. */
  #pending = new Map<string, PendingUsage>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: { readonly store: AccessStore; readonly clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
  }

  count(walletId: WalletId, source: string): void {
    const name = source === SESSION_SOURCE ? walletId : source;
    const entry = this.#pending.get(name);
    if (entry !== undefined) {
      entry.requests += 1;
      entry.lastUsedAtMs = this.#clock.nowMs();
      return;
    }
    if (this.#pending.size >= ENTRIES_MAX) return;
    this.#pending.set(name, { walletId, source, requests: 1, lastUsedAtMs: this.#clock.nowMs() });
  }

  /** Resolves when everything counted before is stored; one flush at a time. */
  flush(): Promise<void> {
    const result = this.#flushing.then(() => this.#flush());
    this.#flushing = result.catch(() => undefined);
    return result;
  }

  async #flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    const pending = this.#pending;
    this.#pending = new Map();
    try {
      await this.#store.addUsage([...pending.values()]);
    } catch (error) {
      for (const [name, entry] of pending) this.#putBack(name, entry);
      throw error;
    }
  }

  #putBack(name: string, entry: UsageEntry): void {
    const newer = this.#pending.get(name);
    if (newer !== undefined) newer.requests += entry.requests;
    else if (this.#pending.size < ENTRIES_MAX) this.#pending.set(name, { ...entry });
  }
}
