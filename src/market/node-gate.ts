// Limits how many requests wait for one chain's node at a time.

import type { ChainSlug } from '../model/chain.ts';

export class NodeGate {
  readonly #callsMax: number;
  readonly #running = new Map<ChainSlug, number>();

  /** For each chain. */
  constructor(callsMax: number) {
    this.#callsMax = callsMax;
  }

  /** Null without a call if the chain has as many already, or if the call fails. */
  async call<T>(chain: ChainSlug, call: () => Promise<T>): Promise<T | null> {
    const running = this.#running.get(chain) ?? 0;
    if (running >= this.#callsMax) return null;
    this.#running.set(chain, running + 1);
    try {
      return await call();
    } catch {
      return null;
    } finally {
      this.#running.set(chain, (this.#running.get(chain) ?? 1) - 1);
    }
  }
}
