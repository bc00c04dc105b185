// Something that is kept in memory for each chain: loaded from the store, then moved by each
// commit, and read exactly as of a commit.

import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { ChainStates, StateChange } from '../state/chain-states.ts';
import { StatsBehindError, StatsPassedError } from './chain-stats.ts';

/** Commits usually arrive within milliseconds of the store's. */
const WAIT_MAX_MS = 5_000;

export interface CommitFollowerOptions {
  readonly states: ChainStates;
  readonly listChains: () => readonly ChainSlug[];
  /** A value was loaded, as opposed to moved. */
  readonly onLoaded: (chain: ChainSlug) => void;
  readonly onError: (error: unknown) => void;
}

export interface Loaded<Value> {
  readonly value: Value;
  readonly checkpoint: Checkpoint;
}

interface Waiter<Value> {
  readonly version: number;
  readonly read: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

export interface FollowedChain<Value, Pending> {
  loaded: Loaded<Value> | null;
  mustLoad: boolean;
  /** Whether the value is between two commits. */
  isHalfway: boolean;
  /** What was heard of and is not applied yet. */
  pending: Pending;
  working: Promise<void> | null;
  /** Whether there may be more to do than was known when the work began. */
  isWoken: boolean;
  readonly waiters: Set<Waiter<Value>>;
}

export abstract class CommitFollower<Value, Pending> {
  readonly #options: CommitFollowerOptions;
  readonly #chains = new Map<ChainSlug, FollowedChain<Value, Pending>>();
  #unsubscribe: (() => void) | null = null;
  #isStopped = false;

  constructor(options: CommitFollowerOptions) {
    this.#options = options;
  }

  protected abstract createPending(): Pending;

  /** Notes a commit. */
  protected abstract onChange(change: StateChange, state: FollowedChain<Value, Pending>): void;

  /** Loads the value, or moves it by a commit. False if there is nothing to do for now. */
  protected abstract step(chain: ChainSlug, state: FollowedChain<Value, Pending>): Promise<boolean>;

  protected get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    const { states, listChains } = this.#options;
    this.#unsubscribe = states.subscribe((change) => {
      const state = this.#follow(change.chain);
      this.onChange(change, state);
      this.#work(change.chain, state);
    });
    for (const chain of listChains()) {
      if (states.current(chain) !== null) this.#work(chain, this.#follow(chain));
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe?.();
    for (const state of this.#chains.values()) rejectAll(state, new Error('It was stopped'));
    await Promise.all([...this.#chains.values()].map(({ working }) => working));
  }

  /** As of the last commit, or between it and the next; null until it is loaded. */
  find(chain: ChainSlug): Loaded<Value> | null {
    return this.#chains.get(chain)?.loaded ?? null;
  }

  /** Resolves when the value is loaded, cannot be, or the chain is not followed. */
  async untilLoaded(chain: ChainSlug): Promise<void> {
    const state = this.#chains.get(chain);
    if (state?.loaded === null) await state.working;
  }

  /**
   * Reads the value exactly as of a commit: waits for it, or throws `StatsPassedError`. With
   * `isInSnapshot` it does not wait, and throws `StatsBehindError`.
   */
  async read<T>(
    chain: ChainSlug,
    at: { readonly version: number; readonly isInSnapshot: boolean },
    read: (value: Value) => T,
  ): Promise<T> {
    const state = this.#follow(chain);
    const { version } = at;
    if (this.#isStopped) throw new Error('It was stopped');
    if (at.isInSnapshot && (state.loaded?.checkpoint.version ?? 0) < version) {
      throw new StatsBehindError(
        this.read(chain, { version, isInSnapshot: false }, () => undefined),
      );
    }
    // Nobody waits with a snapshot, which the rest of the commit may need.
    if (at.isInSnapshot && state.isHalfway) {
      throw new StatsPassedError('The next commit is being applied');
    }
    const reading = wait(state, version, read);
    serve(state);
    // A store that could not be read before is tried again.
    if (state.waiters.size > 0) this.#work(chain, state);
    return reading;
  }

  #follow(chain: ChainSlug): FollowedChain<Value, Pending> {
    const known = this.#chains.get(chain);
    if (known !== undefined) return known;
    const state: FollowedChain<Value, Pending> = {
      ...{ loaded: null, mustLoad: true, isHalfway: false, working: null, isWoken: false },
      ...{ pending: this.createPending(), waiters: new Set<Waiter<Value>>() },
    };
    this.#chains.set(chain, state);
    return state;
  }

  #work(chain: ChainSlug, state: FollowedChain<Value, Pending>): void {
    // Work that is about to end may not see what this call is for.
    state.isWoken = state.working !== null;
    if (this.#isStopped || state.working !== null) return;
    state.working = this.#catchUp(chain, state)
      .catch((error: unknown) => {
        // What was half applied is loaded again, by the next commit or caller.
        state.loaded = null;
        state.mustLoad = true;
        rejectAll(state, error);
        if (!this.#isStopped) this.#options.onError(error);
      })
      .finally(() => {
        state.working = null;
        state.isHalfway = false;
        if (state.isWoken) this.#work(chain, state);
      });
  }

  async #catchUp(chain: ChainSlug, state: FollowedChain<Value, Pending>): Promise<void> {
    while (!this.#isStopped) {
      const { loaded } = state;
      const isMore = await this.step(chain, state);
      if (loaded?.value !== state.loaded?.value && state.loaded !== null) {
        this.#options.onLoaded(chain);
      }
      serve(state);
      if (!isMore) return;
    }
  }
}

/** Resolves with what `read` returns when it is called, or rejects if that takes too long. */
function wait<Value, T>(
  { waiters }: FollowedChain<Value, unknown>,
  version: number,
  read: (value: Value) => T,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const late = () => waiter.reject(new StatsPassedError('The commit did not arrive in time'));
  const timer = setTimeout(late, WAIT_MAX_MS);
  const end = () => {
    clearTimeout(timer);
    waiters.delete(waiter);
  };
  const waiter: Waiter<Value> = {
    version,
    read: (value) => {
      end();
      try {
        resolve(read(value));
      } catch (error) {
        reject(error);
      }
    },
    reject: (error) => {
      end();
      reject(error);
    },
  };
  waiters.add(waiter);
  return promise;
}

/** Calls those whose commit this is, and rejects those that came too late. */
function serve<Value>({ loaded, waiters, isHalfway }: FollowedChain<Value, unknown>): void {
  if (loaded === null || isHalfway) return;
  const { version } = loaded.checkpoint;
  for (const waiter of [...waiters]) {
    if (waiter.version === version) waiter.read(loaded.value);
    else if (waiter.version < version) waiter.reject(new StatsPassedError('It is past it'));
  }
}

function rejectAll<Value>({ waiters }: FollowedChain<Value, unknown>, error: unknown): void {
  for (const waiter of [...waiters]) waiter.reject(error);
}
