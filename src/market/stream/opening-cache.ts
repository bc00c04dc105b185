// What streams begin with, made once for all who begin alike at the same commit: after a restart
// thousands come back with the same id.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { ChainStates } from '../chain-states.ts';
import { ReplayGate } from './replay-gate.ts';

interface Kept {
  /** The step of the chain at which it was asked for; the next one makes it old. */
  readonly at: Checkpoint | null;
  readonly made: Promise<unknown>;
}

const KEPT_MAX = 200;
/** A page of the past is large: of thousands that come back at once few are read at a time. */
const MAKING_MAX = 16;

export class OpeningCache {
  readonly #states: Pick<ChainStates, 'current'>;
  readonly #kept = new BoundedMap<string, Kept>(KEPT_MAX);
  readonly #making = new ReplayGate(MAKING_MAX);

  constructor(options: { readonly states: Pick<ChainStates, 'current'> }) {
    this.#states = options.states;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** `key` says all that it is made of; `isKept` whether it is worth the memory. */
  get<T>(
    key: string,
    chain: ChainSlug,
    how: { readonly make: () => Promise<T>; readonly isKept: (made: T) => boolean },
  ): Promise<T> {
    const at = this.#states.current(chain);
    const kept = this.#kept.get(key);
    // Under one key there is only ever one kind of thing.
    if (kept !== undefined && kept.at === at) return kept.made as Promise<T>;
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
