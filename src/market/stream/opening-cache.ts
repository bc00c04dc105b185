// Caches the start of streams, built once for all equal requests at the same commit: after a
// restart thousands of readers resume with the same id.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { ChainStates } from '../state/chain-states.ts';
import { ReplayGate } from './replay-gate.ts';

interface CachedOpening {
  /** The chains' commits at the time of the request; the next one makes it stale. */
  readonly at: readonly (Checkpoint | null)[];
  readonly made: Promise<unknown>;
}

const KEPT_MAX = 200;
/** A replay page is large, so only a few are built at a time when thousands of readers resume. */
const MAKING_MAX = 16;

export class OpeningCache {
  readonly #states: Pick<ChainStates, 'current'>;
  readonly #kept = new BoundedMap<string, CachedOpening>(KEPT_MAX);
  readonly #making = new ReplayGate(MAKING_MAX);

  constructor(options: { readonly states: Pick<ChainStates, 'current'> }) {
    this.#states = options.states;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** `key` must identify the content; `isKept` says whether it is worth the memory. */
  get<T>(
    key: string,
    chains: readonly ChainSlug[],
    how: { readonly make: () => Promise<T>; readonly isKept: (made: T) => boolean },
  ): Promise<T> {
    const at = chains.map((chain) => this.#states.current(chain));
    const kept = this.#kept.get(key);
    // The cast is safe: each key is used for one type only.
    if (kept?.at.every((one, index) => one === at[index])) return kept.made as Promise<T>;
    const made = this.#make(how.make);
    this.#kept.set(key, { at, made });
    const forget = () => {
      if (this.#kept.get(key)?.made === made) this.#kept.delete(key);
    };
    made.then((value) => {
      if (!how.isKept(value)) forget();
    }, forget);
    return made;
  }

  async #make<T>(make: () => Promise<T>): Promise<T> {
    const leave = await this.#making.enter();
    try {
      return await make();
    } finally {
      leave();
    }
  }
}
