// The set of paused tokens, polled from the store a few times a second.

import { startPolling } from '../lib/start-polling.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { PauseChange, PauseStore } from '../store/pause-store.ts';

/** A pause must take effect within a second in every process. */
const POLL_MS = 250;

interface PauseWatchOptions {
  readonly store: PauseStore;
  readonly onError: (error: unknown) => void;
}

export class PauseWatch {
  readonly #options: PauseWatchOptions;
  readonly #paused = new Set<string>();
  readonly #listeners = new Set<(change: PauseChange) => void>();
  #version = 0;
  #stopPolling: (() => Promise<void>) | null = null;

  constructor(options: PauseWatchOptions) {
    this.#options = options;
  }

  isPaused(chain: ChainSlug, token: Address): boolean {
    return this.#paused.size > 0 && this.#paused.has(`${chain} ${token}`);
  }

  /** Receives every pause and resume from now on. */
  subscribe(listener: (change: PauseChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the paused tokens are known. */
  async start(): Promise<void> {
    await this.poll();
    const { onError } = this.#options;
    this.#stopPolling = startPolling(() => this.poll(), { everyMs: POLL_MS, onError });
  }

  async stop(): Promise<void> {
    await this.#stopPolling?.();
  }

  async poll(): Promise<void> {
    for (const change of await this.#options.store.readChanges(this.#version)) {
      const key = `${change.chain} ${change.token}`;
      if (change.paused) this.#paused.add(key);
      else this.#paused.delete(key);
      this.#version = change.version;
      for (const listener of this.#listeners) listener(change);
    }
  }
}
