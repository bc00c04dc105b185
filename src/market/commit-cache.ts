// What is kept until the next commit of one of its chains: lists, pools, wallets, starts of
// streams.
// For what a commit of its token alone can change, use the answer cache.

import { LRUCache } from 'lru-cache';
import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { ChainStates } from './state/chain-states.ts';

interface CommitCacheOptions {
  readonly states: Pick<ChainStates, 'current'>;
  readonly sizeMax: number;
}

interface Kept {
  /** The commits of its chains when it was asked for. */
  readonly at: readonly (Checkpoint | null)[];
  readonly made: Promise<unknown>;
}

export class CommitCache {
  readonly #states: CommitCacheOptions['states'];
  readonly #kept: LRUCache<string, Kept>;

  constructor(options: CommitCacheOptions) {
    this.#states = options.states;
    this.#kept = new LRUCache({ max: options.sizeMax });
  }

  get size(): number {
    return this.#kept.size;
  }

  /**
   * What is kept, or made anew; concurrent callers share it. `make` calls `discard` if it must not
   * be kept for later callers. A key is used for one type only.
   */
  get<Value>(
    key: string,
    chains: readonly ChainSlug[],
    make: (discard: () => void) => Promise<Value>,
  ): Promise<Value> {
    const at = chains.map((chain) => this.#states.current(chain));
    const known = this.#kept.get(key);
    if (known?.at.every((one, index) => one === at[index])) return known.made as Promise<Value>;
    let isDiscarded = false;
    const made = make(() => {
      isDiscarded = true;
    });
    const kept = { at, made };
    this.#kept.set(key, kept);
    const drop = () => {
      if (this.#kept.peek(key) === kept) this.#kept.delete(key);
    };
    made.then(() => {
      if (isDiscarded) drop();
    }, drop);
    return made;
  }

  /** Drops everything, because something besides the chains has changed. */
  clear(): void {
    this.#kept.clear();
  }
}
