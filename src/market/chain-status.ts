// The followed chains: how fresh they are, whether they are paused, whether the service is ready.

import type { OutputOf } from '../contract/operation.ts';
import type { getChains } from '../contract/operations/get-chains.ts';
import type { getReady } from '../contract/operations/get-ready.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { startPolling } from '../lib/start-polling.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainSourceState } from '../model/chain-source-state.ts';
import type { Address } from '../model/ids.ts';
import type { PauseChange, PauseStore } from '../store/feed-store.ts';
import { StoreError } from '../store/store-error.ts';

// The set of paused tokens, polled from the store a few times a second.

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

export type ChainAnswer = OutputOf<typeof getChains>['chains'][number];

/** A chain's status from its indexer. */
export interface FollowedChainStatus {
  readonly slug: ChainSlug;
  readonly answer: Omit<ChainAnswer, 'native'>;
  /** Null if indexed up to its head, otherwise what is missing, for an operator. */
  readonly notReady: string | null;
  /** What its endpoints cannot do and how that is worked around, for an operator. */
  readonly limitations: readonly string[];
  /** The endpoints and what is read from them, as the process that indexes the chain sees it. */
  readonly source: ChainSourceState;
  /** During backfill: the current block and the target; null otherwise. */
  readonly progress: {
    readonly block: number;
    readonly head: number;
    readonly share: number;
    /** How long the history takes at its rate; absent until that is known. */
    readonly historyLeftMs?: number;
    readonly historyBlocksPerSecond?: number;
  } | null;
}

export interface ChainDirectory {
  list(): readonly FollowedChainStatus[];
}

// The readiness check: the store works and every followed chain is at its head.

/** Half of the second within which a fault must be reported. */
const STORE_CHECK_MS = 500;
const RETRY_AFTER_SECONDS = 2;

interface ReadinessOptions {
  readonly store: { readonly engine: string; ping(): Promise<void> };
  readonly chains: ChainDirectory;
  readonly clock: Clock;
  readonly isDraining: () => boolean;
}

type ReadinessAnswer = OutputOf<typeof getReady>;

function notReady(reason: string, cause?: unknown): AppError {
  return new AppError(
    'NOT_READY',
    { reason },
    { retryAfterSeconds: RETRY_AFTER_SECONDS, ...(cause === undefined ? {} : { cause }) },
  );
}

export function createReadiness(options: ReadinessOptions): () => Promise<ReadinessAnswer> {
  // The route is not metered, so the result of a store check is reused for a while.
  let lastCheck: { readonly atMs: number; readonly result: Promise<void> } | null = null;
  function checkStore(): Promise<void> {
    const nowMs = options.clock.monotonicMs();
    if (lastCheck === null || nowMs - lastCheck.atMs >= STORE_CHECK_MS) {
      lastCheck = { atMs: nowMs, result: options.store.ping() };
      // Callers see the rejection; a check without a caller must not crash the process.
      lastCheck.result.catch(() => {});
    }
    return lastCheck.result;
  }
  return async () => {
    if (options.isDraining()) throw notReady('The server is shutting down.');
    try {
      await checkStore();
    } catch (error) {
      const reason = error instanceof StoreError ? error.reason : 'The store is not responding.';
      throw notReady(reason);
    }
    const chains = options.chains.list();
    const missing = chains.flatMap((chain) =>
      chain.notReady === null ? [] : [`${chain.slug}: ${chain.notReady}`],
    );
    const limitations = chains.flatMap(({ slug, limitations: texts }) =>
      texts.map((detail) => ({ name: `${slug} endpoint`, detail })),
    );
    if (missing.length > 0) {
      const about = limitations.map(({ name, detail }) => ` ${name}: ${detail}.`);
      throw notReady(`Not ready. ${missing.join('; ')}.${about.join('')}`);
    }
    return {
      status: 'ready',
      checks: [
        { name: 'store', detail: `${options.store.engine} answers` },
        ...chains.map(({ slug, answer: { head, slowed } }) => ({
          name: slug,
          detail: slowed === undefined ? `at block ${head}` : `at block ${head}, ${slowed}`,
        })),
        ...limitations,
      ],
    };
  };
}
