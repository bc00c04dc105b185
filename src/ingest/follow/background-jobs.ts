// What is read beside the blocks, in the background, and committed between them: pools that are
// adopted, tokens that clients ask for, and the history of both.

import type { ChainAdapter } from '../../chains/adapter.ts';
import { listMarketViews } from '../../chains/quote-rule.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random, Sleep } from '../../lib/retry.ts';
import type { PoolDemand } from '../../model/adoption.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { LookupOutcome } from '../../model/lookup-outcome.ts';
import type { TokenMetadata } from '../../model/token-metadata.ts';
import type { MarketStore } from '../../store/store.ts';
import { type AdoptionStatus, type IncompletePool, PoolAdopter } from '../adopt/pool-adopter.ts';
import { Backfiller, type BackfillProgress } from '../backfill/backfiller.ts';
import type { CommittedEvent } from '../commit/commit-batch.ts';
import { EntryLookups } from '../demand/entry-lookups.ts';
import { type LookupStatus, TokenLookups } from '../demand/token-lookups.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import type { ChainIndex } from './chain-index.ts';

export interface BackgroundJobsOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketStore;
  /** How pools that are older than the index are adopted; off by default. */
  readonly adoption?: {
    /** Average requests to the node per minute. */
    readonly callsPerMinute: number;
    readonly idleMs?: number;
  };
  /** How the history of tokens from before the index is filled in; off by default. */
  readonly backfill?: {
    /** Average requests to the node per minute. */
    readonly callsPerMinute: number;
    /** The maximum number of tokens that wait or are being read. */
    readonly tokensMax: number;
    readonly idleMs?: number;
  };
  /** Which tokens are indexed; all by default. */
  readonly scope?: ChainScope | null;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: { warn(fields: object, message: string): void };
}

interface BackgroundJobsParts {
  readonly index: ChainIndex;
  readonly isAtHead: () => boolean;
  readonly onSuppliesMissed: (tokens: readonly Address[]) => void;
}

export class BackgroundJobs {
  readonly #parts: BackgroundJobsParts;
  /** Null if the adapter cannot read whole pools, or adoption is off. */
  readonly #adopter: PoolAdopter | null;
  /** Null if the adapter cannot look tokens up. */
  readonly #lookups: TokenLookups | null;
  /** Null if the adapter cannot read history, or backfill is off. */
  readonly #backfiller: Backfiller | null;
  /** Null without a scope, or if pools are not adopted. */
  readonly #entered: EntryLookups | null;
  readonly #options: BackgroundJobsOptions;

  constructor(options: BackgroundJobsOptions, parts: BackgroundJobsParts) {
    const { index, isAtHead } = parts;
    const { journal } = index;
    this.#parts = parts;
    this.#options = options;
    const { callsPerMinute } = options.adoption ?? { callsPerMinute: 0 };
    const isAdopting = callsPerMinute > 0 && options.adapter.readPoolPage !== undefined;
    const onSettled = (pool: PoolId) => this.#lookups?.noteAdoption(pool);
    this.#adopter = !isAdopting
      ? null
      : new PoolAdopter({
          ...{ ...options, ...options.adoption, callsPerMinute },
          ...{ journal, isAtHead, onSettled },
          isIndexed: (pool) => options.scope?.hasPool(pool) ?? true,
          findHash: this.#findHash,
        });
    this.#lookups =
      options.adapter.findToken === undefined
        ? null
        : new TokenLookups({
            ...{ ...options, journal, isAtHead },
            readStartBlock: (token) =>
              options.scope?.findEntry(token)?.fromBlock ?? index.startBlock,
            adopt: (pools) => {
              this.#adopter?.ask(pools, 'awaited');
              return this.#adopter !== null;
            },
            backfill: { request: (token) => this.#backfiller?.request(token, 'found') },
          });
    this.#backfiller = this.#createBackfiller();
    this.#entered = this.#createEntryLookups();
  }

  readonly #findHash = (position: number): string | null =>
    this.#parts.index.headers.get(position)?.hash ?? null;

  #createBackfiller(): Backfiller | null {
    const { backfill, adapter, scope } = this.#options;
    if (backfill === undefined || backfill.callsPerMinute === 0) return null;
    // Of a watched token not all transfers are read, so that what was listed could not be kept.
    const isListed = adapter.readHolders !== undefined && scope?.name !== 'watch';
    if (adapter.history === undefined && !isListed) return null;
    const { index, isAtHead, onSuppliesMissed } = this.#parts;
    return new Backfiller({
      ...this.#options,
      ...backfill,
      journal: index.transfers,
      ...{ isAtHead, findHash: this.#findHash },
      adopt: this.#adopter === null ? null : (pools) => this.adopt(pools, 'shown'),
      onJoined: (token) => onSuppliesMissed([token]),
    });
  }

  #createEntryLookups(): EntryLookups | null {
    const { scope, adoption } = this.#options;
    const lookups = this.#lookups;
    if (!scope || lookups === null || this.#adopter === null) return null;
    return new EntryLookups({
      ...{ ...this.#options, scope, lookups, isAtHead: this.#parts.isAtHead },
      ...{ callsPerMinute: adoption?.callsPerMinute ?? 0, idleMs: adoption?.idleMs },
    });
  }

  start(): void {
    this.#entered?.start();
    this.#adopter?.start();
    this.#backfiller?.start();
  }

  async stop(): Promise<void> {
    const parts = [this.#adopter, this.#lookups, this.#backfiller, this.#entered];
    await Promise.all(parts.map((part) => part?.stop()));
  }

  /** Pools that a client requested: they are adopted first. */
  adopt(pools: readonly PoolId[], demand: PoolDemand): void {
    this.#adopter?.ask(pools, demand);
  }

  /** Fills in a token's history from before the first indexed block. */
  requestHistory(token: Address, caller?: string): void {
    this.#backfiller?.request(token, 'asked', caller);
  }

  /** Trades from before a token's decimals were known have no prices yet. */
  noteNamed(found: readonly TokenMetadata[]): void {
    for (const { token, decimals } of found) {
      if (decimals !== null) this.#backfiller?.request(token, 'named');
    }
  }

  lookUp(token: Address): Promise<LookupOutcome> {
    const isInScope = this.#options.scope?.hasToken(token) ?? true;
    // Not remembered as no token: it may come into scope.
    if (!isInScope) return Promise.resolve('unchanged');
    return this.#lookups?.lookUp(token) ?? Promise.resolve('noToken');
  }

  noteIncomplete(pools: readonly IncompletePool[]): void {
    this.#adopter?.note(pools);
  }

  /** A rollback may have undone adoptions and lookups. */
  noteRollback(event: CommittedEvent): void {
    this.#backfiller?.noteRollback();
    this.#adopter?.noteRollback(event.complete ? event.pools : null);
    this.#lookups?.noteRollback(event.toBlock);
  }

  /** Must be called between two commits; false if there was nothing to commit. */
  async commit(signal: AbortSignal): Promise<boolean> {
    const { index, onSuppliesMissed } = this.#parts;
    const hasAdded = await this.#lookups?.commit(async (found) => {
      onSuppliesMissed(await index.discover(found, signal));
      return index.block;
    });
    const hasAdopted = await this.#adopter?.commit(async (pools, buildAdopted) => {
      const adopted = await index.adopt(pools, buildAdopted, signal);
      await this.#requestHistoryOf([...adopted]);
      return adopted;
    });
    if (hasAdded === true || hasAdopted === true) return true;
    return (await this.#backfiller?.commit(index)) ?? false;
  }

  /** A pool that is older than the index has trades that are missing. */
  async #requestHistoryOf(pools: readonly PoolId[]): Promise<void> {
    const { adapter, store } = this.#options;
    if (this.#backfiller === null || pools.length === 0) return;
    for (const row of await store.readPools(adapter.chain, pools)) {
      for (const { base } of listMarketViews(adapter.assets, row)) {
        this.#backfiller.request(base, 'adopted');
      }
    }
  }

  backfill(): BackfillProgress | null {
    return this.#backfiller?.status() ?? null;
  }

  adoption(): AdoptionStatus | null {
    return this.#adopter?.status() ?? null;
  }

  lookups(): LookupStatus | null {
    return this.#lookups?.status() ?? null;
  }
}
