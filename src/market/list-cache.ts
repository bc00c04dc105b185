// Answers with lists, pools or wallets, kept until the next commit of one of their chains.

import { LRUCache } from 'lru-cache';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainStates } from './state/chain-states.ts';

interface ListCacheOptions {
  readonly states: ChainStates;
  readonly sizeMax: number;
}

interface KeptList {
  /** The commits of its chains when it was asked for. */
  readonly versions: readonly number[];
  readonly answer: Promise<ReadyAnswer>;
}

export class ListCache {
  readonly #states: ChainStates;
  readonly #kept: LRUCache<string, KeptList>;

  constructor(options: ListCacheOptions) {
    this.#states = options.states;
    this.#kept = new LRUCache({ max: options.sizeMax });
  }

  /**
   * The kept answer, or a new one; concurrent callers share one build. `make` calls `discard` if
   * its answer must not be kept for later callers.
   */
  answer(
    key: string,
    chains: readonly ChainSlug[],
    make: (discard: () => void) => Promise<ReadyAnswer>,
  ): Promise<ReadyAnswer> {
    const versions = chains.map((chain) => this.#states.current(chain)?.version ?? 0);
    const known = this.#kept.get(key);
    if (known?.versions.every((version, index) => version === versions[index])) return known.answer;
    let isDiscarded = false;
    const answer = make(() => {
      isDiscarded = true;
    });
    const kept = { versions, answer };
    this.#kept.set(key, kept);
    const drop = () => {
      if (this.#kept.peek(key) === kept) this.#kept.delete(key);
    };
    answer.then(() => {
      if (isDiscarded) drop();
    }, drop);
    return kept.answer;
  }

  /** Drops every answer, because something besides the chains has changed. */
  clear(): void {
    this.#kept.clear();
  }
}
